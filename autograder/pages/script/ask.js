// A question takes a number or a choice, says whether it is right, and is remembered; only then its answer can be opened.
const given = (text) => {
  const [above, below = "1"] = text.replace("−", "-").replace(/(\d),(?=\d{3}\b)/g, "$1").replace(",", ".").split("/");
  return above.trim() === "" ? NaN : Number(above) / Number(below);
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

const told = (form, found) => {
  const answer = form.nextElementSibling;
  form.classList.add("answered");
  form.querySelector(".verdict").textContent = WORDS_OF[found];
  form.querySelector(".verdict").dataset.found = found;
  if (found === "right") answer.open = true;
};

document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll(".ask")) {
    const before = memory()[here()]?.[form.dataset.ask];
    if (before === "right") told(form, "right");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = judged(form, form.elements.given.value);
      if (!found) return void (form.querySelector(".verdict").textContent = form.querySelector("[type=radio]") ? "Choose one." : "Write a number, for example 0.25 or 1/4.");
      told(form, found);
      if (memory()[here()]?.[form.dataset.ask] !== "right") remember(form.dataset.ask, found);
    });
  }
});
