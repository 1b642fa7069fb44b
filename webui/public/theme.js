// Sets the colour scheme before the first paint, so that a dark page never flashes
// white. A file of its own, because the CSP allows no inline script.
(function () {
  var scheme = "auto";
  try {
    scheme = localStorage.getItem("mantine-color-scheme-value") || "auto";
  } catch (e) {
    // Storage is blocked: follow the system.
  }
  if (scheme === "auto") {
    scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
})();
