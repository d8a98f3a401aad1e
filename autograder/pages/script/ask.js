// A question takes a number or a choice and reports whether the answer is right. The page remembers the answer; only then can the reader open the right answer.
// A number may be a calculation, whose value `given` returns; NaN if the text is neither.
const given = (text) => {
  const plain = [[/(?<=[1-9][\d,]*),(?=\d{3}\b)/g, ""], [/,/g, "."], [/−/g, "-"], [/[×·]/g, "*"], [/\*\*/g, "^"], [/√/g, "sqrt"], [/π/g, "pi"], [/ln/g, "log"]];
  const clean = plain.reduce((now, [from, to]) => now.replace(from, to), text.toLowerCase());
  const parts = clean.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[a-z]+|\S/g) ?? [];
  const taken = (...these) => (these.includes(parts[0]) ? parts.shift() : "");
  const added = () => {
    let value = multiplied();
    for (let sign; (sign = taken("+", "-")); ) value += (sign === "+" ? 1 : -1) * multiplied();
    return value;
  };
  const multiplied = () => {
    let value = signed();
    for (let sign; (sign = taken("*", "/")); ) value = sign === "*" ? value * signed() : value / signed();
    return value;
  };
  const signed = () => (taken("-") ? -signed() : taken("+") ? signed() : raised());
  const raised = () => {
    const value = one();
    return taken("^") ? value ** signed() : value;
  };
  const one = () => {
    const part = parts.shift();
    let value = part === "pi" ? Math.PI : part === "e" ? Math.E : parseFloat(part);
    if (part === "(") value = added() + (taken(")") ? 0 : NaN);
    if (["sqrt", "exp", "log"].includes(part)) value = Math[part](one());
    return taken("%") ? value / 100 : value;
  };
  const value = added();
  return parts.length ? NaN : value;
};

const judged = (form, text) => {
  const right = Number(form.dataset.right);
  if (!text.trim()) return "";
  if (Number.isNaN(right)) return text.trim().toLowerCase() === form.dataset.right.toLowerCase() ? "right" : "wrong";
  const value = given(text);
  if (Number.isNaN(value)) return "";
  return Math.abs(value - right) <= Number(form.dataset.within) * Math.abs(right) + 1e-9 ? "right" : value < right ? "small" : "large";
};

const WORDS_OF = { right: "Right.", wrong: "Not right.", small: "Not right: your number is too small.", large: "Not right: your number is too large." };

const showVerdict = (form, found) => {
  const answer = form.nextElementSibling;
  form.classList.add("answered");
  form.querySelector(".verdict").textContent = WORDS_OF[found];
  form.querySelector(".verdict").dataset.found = found;
  if (found === "right") answer.open = true;
};

document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll(".ask")) {
    const before = memory()[here()]?.[form.dataset.ask];
    if (before === "right") {
      form.elements.given.value = form.dataset.right;
      showVerdict(form, "right");
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = judged(form, form.elements.given.value);
      if (!found) {
        const asked = form.querySelector("[type=radio]") ? "Choose one." : "Write a number or a calculation, for example 0.25, 1/4 or sqrt(2).";
        return void Object.assign(form.querySelector(".verdict"), { textContent: asked }).removeAttribute("data-found");
      }
      showVerdict(form, found);
      if (memory()[here()]?.[form.dataset.ask] !== "right") remember(form.dataset.ask, found);
    });
  }
});
