/** Icons of node types and servers; a type nobody knows here gets the box. */
import {
  Bot,
  Box,
  Braces,
  Brain,
  CircleHelp,
  Clock,
  Code2,
  FileSpreadsheet,
  FileText,
  Flag,
  FlaskConical,
  Folder,
  GitBranch,
  Globe,
  Hourglass,
  Layers,
  List,
  ListChecks,
  ListFilter,
  type LucideIcon,
  Map as MapIcon,
  Merge,
  MessageSquare,
  MessageSquareText,
  Play,
  Plug,
  Repeat,
  Repeat2,
  Search,
  Server,
  Shuffle,
  Sparkles,
  Split,
  Tags,
  User,
  Variable,
  Workflow,
} from 'lucide-react'
import type { GraphNode } from '@/graph/types'

const TYPES: Readonly<Record<string, LucideIcon>> = {
  start: Play,
  end: Flag,
  answer: MessageSquare,
  if: Shuffle,
  switch: Split,
  merge: Merge,
  iteration: Repeat,
  loop: Repeat2,
  workflow: Workflow,
  wait: Hourglass,
  template: FileText,
  set_variable: Variable,
  aggregate: Layers,
  list: ListFilter,
  code: Code2,
  document: FileSpreadsheet,
  http: Globe,
  llm: Sparkles,
  agent: Bot,
  planner: ListChecks,
  classifier: Tags,
  extractor: Braces,
  tool: Plug,
  resource: FileText,
  prompt: MessageSquareText,
  approval: User,
  form: List,
}

/** What a server is probably about, by words in its name. */
const SERVERS: readonly (readonly [RegExp, LucideIcon])[] = [
  [/demo|everything/, FlaskConical],
  [/(^|[^a-z])git/, GitBranch],
  [/time|clock|calendar/, Clock],
  [/search|bing|tavily|brave|duck/, Search],
  [/fetch|web|http|browser|playwright/, Globe],
  [/file|folder|drive/, Folder],
  [/map/, MapIcon],
  [/memory|think/, Brain],
]

/** The picture of a server: the same in the registry, in the palette and on a card; `rest` for any other name. */
export function serverIcon(slug: string, rest: LucideIcon = Server): LucideIcon {
  const name = slug.toLowerCase()
  return SERVERS.find(([pattern]) => pattern.test(name))?.[1] ?? rest
}

export function typeIcon(type: string): LucideIcon {
  return TYPES[type] ?? Box
}

export function nodeIcon(node: Pick<GraphNode, 'type' | 'config'>, known = true): LucideIcon {
  if (!known) return CircleHelp
  const server = node.config.server
  if (node.type === 'tool' && typeof server === 'string') {
    return serverIcon(server, Plug)
  }
  return typeIcon(node.type)
}
