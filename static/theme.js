/** The theme that was chosen in the product, before the first paint and when it changes in another tab. */
const show = () => {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}
show()
addEventListener('storage', show)
