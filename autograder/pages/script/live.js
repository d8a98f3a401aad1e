// Show the results of the checks on the student's files in each function's section, if `python -m autograder.checks --page` serves the page.
const live = () => {
  const part = (kind, name, ...inside) => {
    const element = document.createElement(kind);
    element.className = name;
    element.append(...inside);
    return element;
  };

  // Student code runs beside the checks and may forge this text. Only elements of a text stay: a <meta> would open another
  // address, and a <link> would look one up. A line may break after a slash in a path, not inside a line number.
  const TEXT = "p, br, wbr, hr, a, code, pre, em, strong, ul, ol, li, h1, h2, h3, h4, blockquote, details, summary";
  const tell = (box, text) => {
    const made = document.createElement("template");
    made.innerHTML = text.replace(/(?<=\w)\/(?=\w)/g, "/<wbr>");
    for (const other of made.content.querySelectorAll(`:not(${TEXT})`)) other.remove();
    box.replaceChildren(made.content);
  };

  const section = ([name, [mark, text]]) => {
    document.getElementById(`live-${name}`)?.remove();
    const heading = document.getElementById(name);
    let at = heading?.matches("h3") ? heading : heading?.previousElementSibling;
    while (at?.nextElementSibling?.matches(".docstring, .live, a[id]")) at = at.nextElementSibling;
    if (!at) return;
    const box = part("div", "live");
    tell(box, text);
    box.id = `live-${name}`;
    box.dataset.mark = mark;
    at.after(box);
  };

  const pictures = (drawn) => {
    for (const image of document.querySelectorAll("main figure img:not(.mine)")) {
      const [, name] = image.getAttribute("src").match(/figures\/(\w+\.svg)/) ?? [];
      const [source, narrow] = [drawn[name], drawn[`narrow/${name}`]];
      image.closest("figure").querySelector(".own")?.remove();
      if (!source) continue;
      const own = part("img", "mine");
      own.alt = "The same picture, drawn from your functions";
      own.src = source;
      const picture = part("picture", "", own);
      if (narrow) picture.prepend(Object.assign(part("source", ""), { media: "(max-width: 45rem)", srcset: narrow }));
      image.closest("figure").append(part("div", "own", part("p", "", `${own.alt}:`), picture));
    }
  };

  const said = part("div", "");
  const closed = part("button", "", "×");
  const standing = part("div", "standing", closed, said);
  said.setAttribute("role", "status");
  closed.setAttribute("aria-label", "Close this box");
  closed.addEventListener("click", () => (standing.hidden = true));
  const contents = document.querySelector(".contents");
  if (contents) contents.prepend(standing); // beside the text it stays on the screen, and hides nothing
  else document.querySelector(".top").after(standing);
  const goToNext = () => document.getElementById(`live-${standing.dataset.next}`)?.scrollIntoView({ block: "center" });
  addEventListener("keydown", (event) => {
    if (event.key !== "n" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    goToNext();
  });
  said.addEventListener("click", ({ target }) => target.closest("p")?.textContent.startsWith("Next:") && goToNext());

  const show = ({ lessons, checking, pictures: drawn }) => {
    for (const link of document.querySelectorAll("[data-of]")) {
      const { right, functions } = lessons[link.dataset.of] ?? {};
      if (functions) done(link, right, Object.keys(functions).length, "functions");
    }
    const own = lessons[here()];
    if (own) Object.entries(own.functions).forEach(section);
    pictures(drawn[here()] ?? {});
    if (checking) standing.hidden = false; // closed until the next check
    standing.dataset.next = own?.next ?? "";
    standing.dataset.done = own?.right === Object.keys(own?.functions ?? []).length;
    // During a check, one line of the last result gives way to the news, so that the box keeps its size.
    if (checking && said.firstElementChild) said.firstElementChild.textContent = "Checking …";
    else if (!own) tell(said, `<p>${checking ? "Checking …" : "Your checks are running: open a lesson."}</p>`);
    else tell(said, own.summary + (own.next ? "<p class=key>Press n to go there.</p>" : ""));
  };

  return (state) => {
    if (state) show(state);
    else said.textContent = "The checks have ended. Start them again in the terminal, and open the page that they name.";
  };
};

// The program that serves the page sends the results whenever they are new.
let shown;
addEventListener("checked", ({ detail }) => (shown ??= live())(detail));
