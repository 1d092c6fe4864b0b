/** Starts the page of a page trigger: in the system's theme and the browser's language, with nothing stored. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Visitor } from './Visitor'
import { LANGUAGE } from './words'
import '../ui/tokens.css'
import './visitor.css'

const dark = window.matchMedia('(prefers-color-scheme: dark)')
const show = () => {
  document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light'
}
show()
dark.addEventListener('change', show)
document.documentElement.lang = LANGUAGE

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')
createRoot(root).render(
  <StrictMode>
    <Visitor />
  </StrictMode>,
)
