// What the checks said of the student's file, at the section of each function. The server that hands this out knows it.
(() => {
  "use strict";
  const root = location.pathname.split("/").slice(0, 2).join("/");
  const page = document.body.dataset.page;
  const part = (kind, name, text) => {
    const element = document.createElement(kind);
    element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const block = (text) => {
    const pre = part("pre", "");
    pre.append(part("code", "", text.replace(/\n$/, "")));
    return pre;
  };
  const STATE = { "✓": "Right.", "✗": "Not right.", "·": "Not finished." };

  const note = (one) => (one.note ? one.note[0].toUpperCase() + one.note.slice(1) + "." : STATE[one.mark]);

  const place = (name) => {
    const heading = document.getElementById(name);
    let at = heading?.matches("h3") ? heading : heading?.previousElementSibling;
    while (at?.nextElementSibling?.matches(".docstring, .live, a[id]")) at = at.nextElementSibling;
    return at;
  };

  const section = (one) => {
    document.getElementById(`live-${one.name}`)?.remove();
    const at = place(one.name);
    if (!at) return;
    const box = part("div", "live");
    box.id = `live-${one.name}`;
    box.dataset.mark = one.mark;
    box.append(part("p", "state", `${one.mark} ${one.name}: ${note(one)} ${one.points[0]} of ${one.points[1]} public points, ${one.at}`));
    const { rule, call, message, hint } = one.failure ?? {};
    if (rule) box.append(part("p", "", rule));
    if (call) box.append(block(`>>> ${call}`));
    if (message) box.append(block(message));
    if (hint) box.append(part("p", "", `Likely cause: ${hint}`));
    if (one.printed.trim()) box.append(part("p", "", "Your code printed:"), block(one.printed));
    at.after(box);
  };

  const pictures = (names, version) => {
    for (const image of document.querySelectorAll("main figure img:not(.mine)")) {
      const name = image.getAttribute("src").match(/figures\/(\w+)\.svg/)?.[1];
      const figure = image.closest("figure");
      let own = figure.querySelector(".own");
      if (!names.includes(name)) {
        own?.remove();
        continue;
      }
      if (!own) {
        own = part("div", "own");
        own.append(part("p", "", "The same picture, drawn from your functions:"), part("img", "mine"));
        own.lastChild.alt = "The same picture, drawn from your functions";
        figure.append(own);
      }
      own.lastChild.src = `${root}/mine/${name}.svg?${version}`;
    }
  };

  const standing = part("aside", "standing");
  standing.setAttribute("role", "status");
  document.body.append(standing);
  const jump = () => document.getElementById(`live-${standing.dataset.next}`)?.scrollIntoView({ block: "center" });
  addEventListener("keydown", (event) => {
    if (event.key === "n" && !event.target.closest("input, textarea, select") && !event.ctrlKey && !event.metaKey) jump();
  });

  const show = (state) => {
    for (const link of document.querySelectorAll("[data-of]")) {
      const [won, possible] = (link.dataset.of === state.name ? state.own_points : state.points?.[link.dataset.of]) ?? [];
      if (possible === undefined) continue;
      link.style.setProperty("--share", won / possible);
      link.classList.toggle("begun", won > 0);
      link.title = `${link.dataset.title}: ${won} of ${possible} public points`;
      for (const told of link.querySelectorAll(".tried")) told.textContent = ` ${won} of ${possible} public points`;
    }
    if (!state.functions) return;
    const here = page === state.name;
    if (here) state.functions.forEach(section);
    if (here) pictures(state.pictures ?? [], state.version);
    const right = state.functions.filter((one) => one.mark === "✓").length;
    const lines = state.checking ? ["Checking …"] : [`${state.name}: ${right} of ${state.functions.length} functions right, ${state.own_points[0]} of ${state.own_points[1]} public points.`];
    if (!state.checking && state.printed.trim()) lines.push(`Your file printed: ${state.printed}`);
    if (!state.checking && state.next && here) lines.push(`Next: ${state.next} (press n)`);
    standing.dataset.next = state.next ?? "";
    standing.dataset.checking = state.checking;
    const problem = state.checking || !state.problem ? [] : [block(state.problem)];
    standing.replaceChildren(...lines.map((line) => part("p", "", line)), ...problem);
  };

  const follow = async () => {
    for (let version = 0; ; ) {
      try {
        const state = await (await fetch(`${root}/state.json?after=${version}`)).json();
        if (state.version !== version) show(state);
        version = state.version;
      } catch {
        standing.replaceChildren(part("p", "", "The checks have ended. Start them again in the terminal, and open the page that they name."));
        await new Promise((done) => setTimeout(done, 2000));
      }
    }
  };
  follow();
})();
