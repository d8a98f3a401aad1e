// Keeps the whole site and what it loaded of Pyodide, so that the next visit needs no network. A new version
// waits until somebody asks for it.
const OWN = `whereabouts ${VERSION}`;
const LOADED = `whereabouts ${PYODIDE}`;

const add = async (name, url, options) => (await caches.open(name)).put(url, await fetched(url, options));
const install = () => Promise.all(FILES.map((name) => add(OWN, name, { cache: "no-cache" })));
addEventListener("install", (event) => event.waitUntil(install()));

const isOld = (name) => name.startsWith("whereabouts ") && ![OWN, LOADED].includes(name);
const drop = (names) => Promise.all(names.map((name) => caches.delete(name)));
const dropOld = async () => drop((await caches.keys()).filter(isOld));
addEventListener("activate", (event) => event.waitUntil(Promise.all([dropOld(), clients.claim()])));

// A page names what it has loaded from elsewhere than the site's own files, or asks for the new version.
const receive = async ({ kind, urls = [] }) => {
  if (kind === "update") await skipWaiting();
  for (const url of urls) if (!(await caches.match(url))) await add(LOADED, url).catch(() => {});
};
addEventListener("message", (event) => event.waitUntil(receive(event.data)));

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const url = new URL(event.request.url);
  if (url.origin === location.origin && url.pathname.endsWith("/")) url.pathname += "index.html";
  const kept = caches.match(url.href, { ignoreSearch: true, ignoreVary: true }).catch(() => {});
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
