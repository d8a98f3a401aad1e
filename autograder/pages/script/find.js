// The words that people may use → the words in the lessons.
const ALSO = {
  rotary: "rope", rotery: "rope", theta: "base frequency", "θ": "base frequency", sqrt: "why variance score", scaling: "why variance", colab: "notebook google", submit: "submit hand in",
  install: "set up", setup: "set up", deadline: "submit", points: "points graded", grade: "points", llama3: "llama 3", mamba: "state gate", ssm: "state",
  linear: "linear state", deltanet: "delta rule", kv: "cache keys values", cache: "decode cached", qk: "query key", absolute: "position input", extrapolate: "extrapolation longer",
  longer: "length extrapolation", context: "context length", window: "window", bias: "bias", image: "image grid patch", vision: "image patch", vit: "patch grid",
  gemma: "gemma modern", qwen: "qwen mrope", deepseek: "deepseek modern", nope: "without encoding", permutation: "equivariance order", order: "order", proof: "why", help: "work check",
  hint: "likely cause", mask: "causal mask", wavelength: "wavelengths", hands: "clock", einsum: "product leading axes", windows: "set up", bucket: "buckets", memory: "cache state", sinks: "sinks", needle: "passkey copy", passkey: "copy",
};
let engine = null;
// "What is a head?" searches for "head", and a glossary term that is searched for by its name comes first.
const subject = (asked) => asked.toLowerCase().replace(/^what(?:['’]s| is| are)(?: an?| the)?\s+/, "").replace(/[?\s]+$/, "");
const single = (term) => term.toLowerCase().replace(/(?<=\w{3})s$/, "");
const explains = (asked, { title, link }) =>
  link.startsWith("glossary.html#") && title.replace(/ \(.*?\)/g, "").split(", ").some((spelling) => single(spelling) === single(asked));
// Return a line from a section, which begins shortly before the first word found.
const excerpt = (section, terms) => {
  const text = section.replace(/^Docstring of (\w+) \1\(.*?\) (?=[A-Z])/, "");
  const at = text.search(new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.join("|")})`, "iu"));
  const begin = at < 40 ? 0 : text.indexOf(" ", at - 30) + 1;
  return (begin ? "… " : "") + text.slice(begin, begin + 160);
};
const searched = (question) => {
  const asked = subject(question);
  if (!engine) {
    engine = new MiniSearch({ fields: ["title", "page", "text"], storeFields: ["title", "page", "link", "text"], idField: "link", extractField: (one, name) => one[name],
      tokenize: (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean), processTerm: (term) => term.replace(/(?<=\w{3})s$/, "") || null,
      searchOptions: { boost: { title: 4, page: 1.5 }, prefix: (term) => term.length > 2, fuzzy: (term) => (term.length > 4 ? 0.2 : false), weights: { fuzzy: 0.2, prefix: 0.5 } } });
    engine.addAll(window.WHEREABOUTS_INDEX ?? []);
  }
  const words = asked.toLowerCase().split(/[\s_-]+/).filter(Boolean);
  const also = words.flatMap((word) => (ALSO[word] ?? "").split(" ").filter(Boolean));
  const all = (query, combineWith) => ({ queries: [query], combineWith });
  const searchQuery = { combineWith: "OR", queries: [{ ...all(asked, "AND"), boost: { title: 8, page: 2 } }, asked] };
  const hits = engine.search(also.length ? { combineWith: "OR", queries: [...searchQuery.queries, also.join(" ")] } : searchQuery);
  return hits.sort((a, b) => explains(asked, b) - explains(asked, a));
};

// Search over all pages, copy buttons, and the section that the reader is in.
const listed = () => {
  const [field, list] = [document.getElementById("search"), document.getElementById("found")];
  const show = () => {
    const asked = field.value.trim();
    const hits = asked ? searched(asked).slice(0, 12) : [];
    list.replaceChildren(...hits.map(({ title, page, link, text, terms }) => {
      const item = document.createElement("li");
      const one = item.appendChild(document.createElement("a"));
      one.href = link;
      one.textContent = title;
      item.append(` ${page.split(/[:,]/)[0]}`);
      if (text) item.appendChild(document.createElement("small")).textContent = excerpt(text, terms);
      return item;
    }));
    list.hidden = !asked;
    if (asked && !hits.length) list.append("Nothing found.");
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
    if (event.key === "Escape") show(field.value = "");
  });
  list.addEventListener("click", () => (list.hidden = true));
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    field.focus();
  });
};

const copying = (block) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent.replace(/\n$/, ""));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.before(button);
};

const spy = () => {
  const links = new Map(Array.from(document.querySelectorAll(".contents a"), (link) => [link.hash.slice(1), link]));
  const heads = Array.from(document.querySelectorAll("main :is(h2, h3)[id]")).filter((one) => links.has(one.id));
  const mark = () => {
    const passed = heads.filter((one) => one.getBoundingClientRect().top < 120).at(-1);
    for (const [id, link] of links) link.toggleAttribute("data-here", id === passed?.id);
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
};

document.addEventListener("DOMContentLoaded", () => {
  listed();
  for (const block of document.querySelectorAll("main .scroll:has(> pre)")) copying(block);
  spy();
  const hasRoom = matchMedia("(min-width: 67.5em)").matches && !document.querySelector(".coding"); // beside no editor
  for (const details of document.querySelectorAll(".contents details")) details.open = hasRoom;
});
