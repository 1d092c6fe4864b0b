/** Addresses of the user documentation, which the server serves in both languages. */
import { currentLanguage } from './index'

export type DocsPage =
  | 'start'
  | 'servers'
  | 'providers'
  | 'workflows'
  | 'runs'
  | 'teams'
  | 'triggers'
  | 'sharing'
  | 'api'
  | 'running'

/** The page in the reader's language. */
export const docsHref = (page: DocsPage): string => `/docs/${currentLanguage()}/${page}`

/** Opens the page beside what one is at. */
export const openDocs = (page: DocsPage): void => {
  window.open(docsHref(page), '_blank', 'noopener')
}
