/** Starts the app: theme and language first, so that nothing flashes in the wrong one. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './ui/app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { startLanguage } from './app/language'
import { askAhead, preloadPage } from './app/pages'
import { logCaught } from './loading/lazily'
import { startTheme } from './ui/theme'

startTheme()
preloadPage(location.pathname)
const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')
await startLanguage()
askAhead(location.pathname).catch(() => {}) // asked for again, and reported, by who shows it
createRoot(root, { onCaughtError: logCaught }).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
