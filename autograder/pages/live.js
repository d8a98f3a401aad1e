// What the checks said of the student's files, at the section of each function. The server that hands this out knows it.
(() => {
  "use strict";
  const root = location.pathname.split("/").slice(0, 2).join("/");
  const page = document.body.dataset.page;
  const part = (kind, name, ...inside) => {
    const element = document.createElement(kind);
    element.className = name;
    element.append(...inside);
    return element;
  };
  const block = (text) => part("pre", "", part("code", "", text.replace(/\n$/, "")));
  const STATE = { "✓": "Right.", "✗": "Not right.", "·": "Not finished." };
  const note = (one) => (one.note ? `${one.note[0].toUpperCase()}${one.note.slice(1)}.` : STATE[one.mark]);

  const section = (one) => {
    document.getElementById(`live-${one.name}`)?.remove();
    const heading = document.getElementById(one.name);
    let at = heading?.matches("h3") ? heading : heading?.previousElementSibling;
    while (at?.nextElementSibling?.matches(".docstring, .live, a[id]")) at = at.nextElementSibling;
    if (!at) return;
    const box = part("div", "live", part("p", "state", `${one.mark} ${one.name}: ${note(one)} ${one.at}`));
    box.insertAdjacentHTML("beforeend", one.told);
    if (one.printed.trim()) box.append(part("p", "", "Your code printed:"), block(one.printed));
    box.id = `live-${one.name}`;
    box.dataset.mark = one.mark;
    at.after(box);
  };

  const pictures = (names, version) => {
    for (const image of document.querySelectorAll("main figure img:not(.mine)")) {
      const name = image.getAttribute("src").match(/figures\/(\w+)\.svg/)?.[1];
      const figure = image.closest("figure");
      let own = figure.querySelector(".own");
      if (!names.includes(name)) own?.remove();
      else {
        if (!own) figure.append((own = part("div", "own", part("p", "", "The same picture, drawn from your functions:"), part("img", "mine"))));
        own.lastChild.alt = "The same picture, drawn from your functions";
        own.lastChild.src = `${root}/mine/${name}.svg?${version}`;
      }
    }
  };

  const said = part("div", "");
  const closed = part("button", "", "×");
  const standing = part("aside", "standing", closed, said);
  said.setAttribute("role", "status");
  closed.setAttribute("aria-label", "Close this box");
  closed.addEventListener("click", () => standing.remove());
  document.querySelector(".top").after(standing); // on a phone it stands here, and hides nothing
  const jump = () => document.getElementById(`live-${standing.dataset.next}`)?.scrollIntoView({ block: "center" });
  addEventListener("keydown", (event) => {
    if (event.key === "n" && !event.target.closest("input, textarea, select") && !event.ctrlKey && !event.metaKey) jump();
  });

  const show = ({ lessons = {}, checking, pictures: drawn = {}, version, writes }) => {
    for (const link of document.querySelectorAll("[data-of]")) {
      const { right, functions } = lessons[link.dataset.of] ?? {};
      if (!functions) continue;
      link.style.setProperty("--share", right / functions.length);
      link.classList.toggle("begun", right > 0);
      link.title = `${link.dataset.title}: ${right} of ${functions.length} functions`;
      for (const told of link.querySelectorAll(".tried")) told.textContent = ` ${right} of ${functions.length} functions`;
    }
    const own = lessons[page];
    own?.functions.forEach(section);
    if (drawn[page]) pictures(drawn[page], version);
    const lines = checking ? ["Checking …"] : own ? [own.so_far] : ["Your checks are running: open a lesson."];
    if (!checking && own?.printed.trim()) lines.push(`Your file printed: ${own.printed}`);
    if (!checking && own?.ending) lines.push(own.ending);
    else if (!checking && own?.next) lines.push(`Next: ${own.next} (press n)`);
    standing.dataset.next = own?.next ?? "";
    standing.dataset.checking = Boolean(checking);
    standing.dataset.done = Boolean(own?.ending);
    const problem = checking || !own?.problem ? [] : [block(own.problem)];
    said.replaceChildren(...lines.map((line) => part("p", "", line)), ...problem, ...(writes ? [part("p", "", "It writes:"), block(writes)] : []));
  };

  let shown = -1;
  const follow = async () => {
    try {
      const state = await (await fetch(`${root}/state.json`)).json();
      if (state.version !== shown) show(state);
      shown = state.version;
    } catch {
      said.replaceChildren(part("p", "", "The checks have ended. Start them again in the terminal, and open the page that they name."));
    }
    setTimeout(follow, 700);
  };
  follow();
})();
