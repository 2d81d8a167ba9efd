// Before the first paint: the remembered theme, if one was chosen. Without one the system decides.
try {
  const theme = localStorage.getItem("rubrica-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* storage may be forbidden */ }
