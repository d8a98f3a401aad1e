// Keeps the whole site and the parts of Pyodide that it loaded, so that the next visit needs no network. A new version waits
// until somebody requests it.
const OWN = `whereabouts ${VERSION}`;
const LOADED = `whereabouts ${PYODIDE}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(OWN).then((cache) => cache.addAll(FILES.map((name) => new Request(name, { cache: "reload" })))));
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("whereabouts ") && ![OWN, LOADED].includes(name);
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
  event.waitUntil(clients.claim());
});

// A page names what it has loaded from outside the site's own files, or requests the new version.
addEventListener("message", ({ data }) => {
  if (data.kind === "update") skipWaiting();
  if (data.kind === "keep") caches.open(LOADED).then(async (cache) => {
    for (const url of data.urls) if (!(await caches.match(url))) await cache.add(new Request(url, { mode: "cors" })).catch(() => {});
  });
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const url = new URL(event.request.url);
  if (url.origin === location.origin && url.pathname.endsWith("/")) url.pathname += "index.html";
  event.respondWith(caches.match(url.href, { ignoreSearch: true, ignoreVary: true }).then((kept) => kept ?? fetch(event.request)));
});
