// What a reader sees. `seen.over(root)` are texts that lie on another text, `seen.cut(root)` texts of which a part is hidden, and
// `seen.faint(root)` texts that hardly stand out from what is drawn or painted behind them. Every page of the tests has it.
window.seen = (() => {
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".unseen, .skip:not(:focus)");

  // One box per line of a text; a text of a drawing has one alone.
  const texts = (root) => {
    const [walker, found] = [document.createTreeWalker(root, NodeFilter.SHOW_TEXT), []];
    while (walker.nextNode()) {
      const [node, element] = [walker.currentNode, walker.currentNode.parentElement];
      if (!node.data.trim() || element.closest("script, style") || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of element.closest("svg") ? [element.getBoundingClientRect()] : range.getClientRects()) {
        if (box.width > 1 && box.height > 1) found.push({ text: node.data.trim(), node, element, box });
      }
    }
    return found;
  };
  const named = (found) => Array.from(new Set(found.map(({ text }) => text)));

  const over = (root) => {
    const boxes = texts(root).sort((a, b) => a.box.top - b.box.top);
    const formula = ({ element }) => element.closest("math");
    return named(boxes.filter((a, i) => {
      for (let j = i + 1; j < boxes.length && boxes[j].box.top < a.box.bottom; j++) {
        const b = boxes[j];
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const tall = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
        if (wide > 1.5 && tall > 0.32 * Math.min(a.box.height, b.box.height) && !(formula(a) && formula(a) === formula(b))) return true;
      }
      return false;
    }));
  };

  // What scrolls can be brought into sight, so only what is hidden for good is cut. A drawing may not be left at all.
  const isCut = (element, box) => {
    const drawing = element.closest("svg")?.getBoundingClientRect();
    if (drawing) return box.left < drawing.left - 2 || box.right > drawing.right + 2 || box.top < drawing.top - 4 || box.bottom > drawing.bottom + 4;
    for (let one = element; one; one = one.parentElement) {
      const { overflowX } = getComputedStyle(one);
      if (overflowX === "auto" || overflowX === "scroll") return false;
      const edge = one.getBoundingClientRect();
      if (overflowX !== "visible" && one !== document.documentElement && (box.left < edge.left - 2 || box.right > edge.right + 2)) return true;
    }
    return box.left < 0 || box.right > document.documentElement.clientWidth + 1;
  };
  // A line is looked at word by word where it leaves its room: spaces may.
  const boxesOfWords = (node) => Array.from(node.data.matchAll(/\S+/g), ({ index, 0: { length } }) => {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + length);
    return Array.from(range.getClientRects());
  }).flat();
  const cut = (root) => named(texts(root).filter(({ element, box }) => isCut(element, box))
    .filter(({ element, node }) => element.closest("svg") || boxesOfWords(node).some((box) => isCut(element, box))));

  const parts = (colour) => {
    if (colour === "none") return { rgb: [0, 0, 0], alpha: 0 };
    const [r, g, b, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], alpha };
  };
  const painted = (under, { rgb, alpha }) => rgb.map((value, i) => value * alpha + under[i] * (1 - alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const opacity = (element) => {
    let all = 1;
    for (let one = element; one; one = one.parentElement) all *= Number(getComputedStyle(one).opacity);
    return all;
  };
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(parts(getComputedStyle(one).backgroundColor));
    return layers.reduceRight(painted, [255, 255, 255]);
  };
  const target = (value) => document.querySelector(value.match(/#[\w-]+/)?.[0] ?? "none");
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const filled = (shape) => {
    const style = getComputedStyle(shape);
    // A pattern is as light as what lies below its lines.
    const { rgb, alpha } = parts(style.fill.startsWith("url") ? getComputedStyle(target(style.fill).firstElementChild).fill : style.fill);
    return { shape, rgb, alpha: alpha * style.fillOpacity * opacity(shape), clip: target(style.clipPath)?.firstElementChild };
  };
  const covers = ({ shape, clip }, x, y) => {
    const edge = shape.getBoundingClientRect();
    if (x < edge.left || x > edge.right || y < edge.top || y > edge.bottom) return false;
    const at = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
    // A marker is drawn once and used in many places.
    const mark = shape.tagName === "use" && target(shape.href.baseVal);
    const inside = mark ? mark.isPointInFill(new DOMPoint(at.x - shape.x.baseVal.value, at.y - shape.y.baseVal.value)) : shape.isPointInFill(at);
    return inside && (!clip || clip.isPointInFill(at));
  };

  // A text of a drawing is looked at where it begins, in the middle and where it ends, before all that is drawn below it.
  const faint = (root, least = 4.5) => {
    const shapes = new Map();
    const below = (drawing) => {
      if (!shapes.has(drawing)) {
        const all = Array.from(drawing.querySelectorAll(":is(rect, circle, path, use):not(defs *)"), filled).filter((one) => one.alpha > 0.01);
        shapes.set(drawing, { all, paper: ground(drawing) });
      }
      return shapes.get(drawing);
    };
    return named(texts(root).filter(({ element, box }) => {
      const style = getComputedStyle(element);
      const drawing = element.closest("svg");
      const ink = parts(drawing ? style.fill : style.color);
      ink.alpha *= opacity(element) * (drawing ? style.fillOpacity : 1);
      if (!drawing) {
        const paper = ground(element);
        return contrast(painted(paper, ink), paper) < least;
      }
      // Of an image inside a drawing the colours are not known.
      if (Array.from(drawing.querySelectorAll("image")).some((one) => overlap(one.getBoundingClientRect(), box))) return false;
      const { all, paper } = below(drawing);
      const y = (box.top + box.bottom) / 2;
      return [box.left + 1, (box.left + box.right) / 2, box.right - 1].some((x) => {
        const before = all.filter((one) => one.shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING && covers(one, x, y));
        const under = before.reduce(painted, paper);
        return contrast(painted(under, ink), under) < least;
      });
    }));
  };
  return { over, cut, faint };
})();
