"use strict";
// A column's button sorts its table: first ascending, then descending. Empty cells stay last.
const language = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function key(row, column) {
  const cell = row.cells[column];
  const text = (cell.dataset.v ?? cell.textContent).trim();
  return { text, number: text === "" ? NaN : Number(text) };
}

function compare(a, b) {
  if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return a.number - b.number;
  return language.compare(a.text, b.text);
}

function sort(heading) {
  const descending = heading.getAttribute("aria-sort") === "ascending";
  const body = heading.closest("table").tBodies[0];
  const rows = Array.from(body.rows, (row) => ({ row, key: key(row, heading.cellIndex) }));
  rows.sort((a, b) => {
    if ((a.key.text === "") !== (b.key.text === "")) return a.key.text === "" ? 1 : -1;
    return descending ? compare(b.key, a.key) : compare(a.key, b.key);
  });
  body.append(...rows.map(({ row }) => row));
  for (const other of heading.parentElement.cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
}

// Show the names that contain the typed text, ignoring case and accents.
const filter = document.getElementById("filter");
const bare = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
filter.addEventListener("input", () => {
  for (const row of document.querySelectorAll("#students tbody tr")) row.hidden = !bare(row.cells[0].textContent).includes(bare(filter.value.trim()));
});

for (const button of document.querySelectorAll("th[aria-sort] button")) {
  button.addEventListener("click", () => sort(button.parentElement));
}
