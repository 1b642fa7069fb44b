"use strict";
// Shows what contains the searched words, and opens what a link points at.
const entries = [...document.querySelectorAll("details")];
const texts = entries.map((e) => e.textContent.toLowerCase());
const search = document.getElementById("search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  entries.forEach((entry, i) => {
    entry.hidden = !words.every((word) => texts[i].includes(word));
    if (!entry.hidden) found++;
  });
  for (const section of document.querySelectorAll("section")) {
    section.hidden = !section.querySelector("details:not([hidden])");
  }
  document.getElementById("found").textContent = words.length ? `${found} found` : "";
});
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") {
    target.open = true;
    target.scrollIntoView();
  }
};
addEventListener("hashchange", reveal);
reveal();
