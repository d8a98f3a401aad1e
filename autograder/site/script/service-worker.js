// Keeps the whole site and what it loaded of Pyodide, so that the next visit needs no network. A new version
// waits until somebody asks for it.
const OWN = `whereabouts ${VERSION}`;
const LOADED = `whereabouts ${PYODIDE}`;

addEventListener("install", (event) => {
  const requests = FILES.map((name) => new Request(name, { cache: "no-cache" }));
  event.waitUntil(caches.open(OWN).then((cache) => cache.addAll(requests)));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("whereabouts ") && ![OWN, LOADED].includes(name);
  const dropOld = (names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
  event.waitUntil(Promise.all([caches.keys().then(dropOld), clients.claim()]));
});

// A page names what it has loaded from elsewhere than the site's own files, or asks for the new version.
const keep = async (urls) => {
  const cache = await caches.open(LOADED);
  for (const url of urls) {
    if (!(await caches.match(url))) await cache.add(new Request(url, { mode: "cors" })).catch(() => {});
  }
};
addEventListener("message", ({ data }) => (data.kind === "update" ? skipWaiting() : keep(data.urls)));

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const url = new URL(event.request.url);
  if (url.origin === location.origin && url.pathname.endsWith("/")) url.pathname += "index.html";
  const kept = caches.match(url.href, { ignoreSearch: true, ignoreVary: true });
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
