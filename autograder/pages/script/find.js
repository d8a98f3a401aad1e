// Search over all pages, copy buttons, and the section in which one is.
const listed = () => {
  const [field, list] = [document.getElementById("search"), document.getElementById("found")];
  const show = () => {
    const asked = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = ([title]) => (title.toLowerCase().startsWith(asked[0]) ? 0 : 1);
    const hits = asked.length ? (window.WHEREABOUTS_INDEX ?? []).filter(([title, , , more = ""]) => asked.every((word) => `${title} ${more}`.toLowerCase().includes(word))) : [];
    list.replaceChildren(...hits.sort((a, b) => rank(a) - rank(b)).slice(0, 12).map(([title, page, link]) => {
      const item = document.createElement("li");
      const one = item.appendChild(document.createElement("a"));
      one.href = link;
      one.textContent = title;
      item.append(` ${page}`);
      return item;
    }));
    list.hidden = !asked.length;
    if (asked.length && !hits.length) list.append("Nothing found.");
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
  button.tabIndex = -1;
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
  for (const details of document.querySelectorAll(".contents details")) details.open = matchMedia("(min-width: 1080px)").matches;
});
