// What the tests ask of a page of the course: `asked.wider(".formula")` are the formulas that scroll, and so on.
window.asked = (() => {
  const all = (which, root = document) => Array.from(root.querySelectorAll(which));
  const texts = (found) => found.map((one) => one.getAttribute("alttext") ?? one.textContent);
  const wider = (which) => texts(all(which).filter((one) => one.scrollWidth > one.clientWidth + 1));
  const empty = () => texts(all("math").filter((one) => one.getBoundingClientRect().width < 2));
  // The font has one sign of the root, 1.2 em high: with larger ones Chromium leaves their width free behind every root.
  const wrongRoots = () => texts(all("msqrt").filter((one) => {
    const [root, inside] = [one.getBoundingClientRect(), one.lastElementChild.getBoundingClientRect()];
    return root.right > inside.right + 0.5 || root.height > 1.5 * parseFloat(getComputedStyle(one).fontSize);
  }));
  const closed = () => texts(all("main details:not([open]) > :not(summary, .copy)").filter((one) => one.getBoundingClientRect().height < 1));

  // Every question gets an answer: a wrong one and a right one in turn.
  const answer = () => all(".ask").forEach((form, number) => {
    const given = form.querySelector("[name=given]");
    if (given.type === "radio") given.checked = true;
    else given.value = number % 2 ? form.dataset.right : "-77";
    form.requestSubmit();
  });

  // Of each picture what cannot be read, and the size of its smallest text on a phone, in pixels.
  const pictures = ([drawn, faults]) => {
    document.head.innerHTML = ""; // a picture brings its own style
    Object.assign(document.documentElement.style, { background: "light-dark(#fff, #16181b)", colorScheme: "light dark" });
    return Object.entries(drawn).map(([name, svg]) => {
      document.body.innerHTML = svg;
      const picture = document.querySelector("svg");
      const sizes = all("text", picture).map((one) => parseFloat(getComputedStyle(one).fontSize));
      const shrunk = Math.min(1, 268.5 / picture.viewBox.baseVal.width);
      return [name, faults.flatMap((fault) => seen[fault](picture)), (Math.min(...sizes) * shrunk * 4) / 3];
    });
  };

  const searched = (queries) => {
    const [field, list] = [document.getElementById("search"), document.getElementById("found")];
    const links = (query) => {
      field.value = query;
      field.dispatchEvent(new Event("input"));
      return all("a", list).map((one) => one.getAttribute("href")).slice(0, 5);
    };
    return [...queries, ""].map(links).slice(0, -1);
  };

  const field = (input) => (input.type === "checkbox" ? "checked" : "value");
  const value = (input) => (["range", "number"].includes(input.type) ? Number(input.value) : input[field(input)]);
  // How the controls of a dial stand, and what each can be set to: everything of a list, five places of a slider, numbers with sign and fraction.
  const controls = (section) => {
    const inputs = all(".controls [name]", section);
    const values = (input) => {
      if (input.type !== "range") return { checkbox: [true, false], number: [-2.5, 0, 3] }[input.type] ?? Array.from(input.options, (one) => one.value);
      const tried = input.cloneNode(); // it rounds to its steps
      const [low, high] = [Number(input.min), Number(input.max)];
      return [0, 0.23, 0.5, 0.81, 1].map((share) => Number((tried.value = low + (high - low) * share, tried.value)));
    };
    return [value, values].map((of) => Object.fromEntries(inputs.map((input) => [input.name, of(input)])));
  };
  const put = (section, settings) => {
    const form = section.querySelector("form");
    const inputs = Object.entries(settings).map(([name, value]) => [form.elements[name], value]);
    const standing = () => inputs.map(([input]) => input[field(input)]).join();
    let before;
    do { // A list or a slider may set where another slider ends, so it is set until nothing moves any more.
      before = standing();
      for (const [input, value] of inputs) input[field(input)] = value;
      form.dispatchEvent(new Event("input"));
    } while (standing() !== before && standing() !== inputs.map(([, value]) => value).join());
    return section.querySelector("svg").outerHTML + section.says;
  };
  // What a dial shows with each of some settings, and the handles that move nothing.
  const examined = (section, tried) => {
    const shown = tried.map((settings) => ({
      is_drawn: !/NaN|undefined|Infinity/.test(put(section, settings)), numbers: section.numbers, says: section.says,
    }));
    put(section, tried[0]);
    const { elements } = section.querySelector("form");
    const handles = new Set(all("[data-drag]", section).map((one) => one.dataset.drag));
    const { width, height } = section.querySelector("svg").viewBox.baseVal;
    const moves = (name) => [[0, 0], [0.3, 0.4], [0.6, 0.3], [0.9, 0.8], [1, 1]].some(([x, y]) =>
      Object.entries(section.drags[name]?.(x * width, y * height) ?? {}).some(([key, value]) => String(value) !== elements[key].value));
    return { shown, still: [...new Set([...handles, ...Object.keys(section.drags)])].filter((name) => !handles.has(name) || !moves(name)) };
  };
  // What cannot be read of a dial in a narrow dark window and in a wide light one.
  const unread = (section, tried) => [["22rem", "dark"], ["", "light"]].flatMap(([width, theme]) => {
    section.style.width = width; // that of a phone
    document.documentElement.dataset.theme = theme;
    return tried.flatMap((settings) => {
      put(section, settings);
      const drawing = section.querySelector("svg");
      return ["over", "cut", "faint"].flatMap((fault) => seen[fault](drawing).map((text) => [fault, width, text]));
    });
  });
  // Whether the menu of each visible button lies inside the window and does not scroll sideways.
  const menusThatFit = () => all(".opens").filter((button) => button.checkVisibility()).map(({ popoverTargetElement: menu }) => {
    menu.showPopover();
    const { left, right, width } = menu.getBoundingClientRect();
    const fits = width > 0 && left >= 0 && right <= innerWidth && menu.scrollWidth <= menu.clientWidth;
    menu.hidePopover();
    return fits;
  });
  // What cannot be read of a header whose letters are closer or wider apart, as in another font.
  const unreadHeader = (spacings) => {
    const [header, style] = [document.querySelector(".top"), document.head.appendChild(document.createElement("style"))];
    const found = spacings.flatMap((spacing) => {
      style.textContent = `.top * { letter-spacing: ${spacing} }`;
      return ["over", "cut"].flatMap((fault) => seen[fault](header).map((text) => [spacing, fault, text]));
    });
    style.remove();
    return found;
  };
  return { wider, empty, wrongRoots, closed, answer, pictures, searched, controls, examined, unread, unreadHeader, menusThatFit };
})();
