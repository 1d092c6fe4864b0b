/** A picture for a server, by what its name says it is about. */
import {
  Brain,
  Clock,
  FlaskConical,
  Folder,
  GitBranch,
  Globe,
  type LucideIcon,
  Map as MapIcon,
  Search,
  Server as ServerGlyph,
  Terminal,
} from 'lucide-react'

const BY_WORD: readonly [RegExp, LucideIcon][] = [
  [/demo|everything/, FlaskConical],
  [/git/, GitBranch],
  [/time|clock/, Clock],
  [/search|bing|tavily/, Search],
  [/fetch|web|http|browser/, Globe],
  [/file|folder/, Folder],
  [/map/, MapIcon],
  [/memory|think/, Brain],
]

export function ServerIcon({
  slug,
  transport,
  size = 16,
}: {
  slug: string
  transport: string
  size?: number
}) {
  const Icon =
    BY_WORD.find(([word]) => word.test(slug))?.[1] ?? (transport === 'stdio' ? Terminal : ServerGlyph)
  return <Icon size={size} strokeWidth={1.5} aria-hidden className="shrink-0" />
}
