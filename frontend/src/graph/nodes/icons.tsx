/** Icons of node types and servers; a type nobody knows here gets the box. */
import {
  Bot,
  Box,
  Braces,
  CircleHelp,
  Clock,
  Code2,
  FileText,
  Flag,
  FolderOpen,
  GitBranch,
  Globe,
  Hourglass,
  Layers,
  List,
  ListChecks,
  ListFilter,
  type LucideIcon,
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
  [/git/, GitBranch],
  [/fetch|web|http|browser|playwright/, Globe],
  [/file|folder|drive/, FolderOpen],
  [/time|clock|calendar/, Clock],
  [/search|brave|duck/, Search],
]

export function serverIcon(slug: string): LucideIcon {
  const name = slug.toLowerCase()
  return SERVERS.find(([pattern]) => pattern.test(name))?.[1] ?? Server
}

export function typeIcon(type: string): LucideIcon {
  return TYPES[type] ?? Box
}

export function nodeIcon(node: Pick<GraphNode, 'type' | 'config'>, known = true): LucideIcon {
  if (!known) return CircleHelp
  const server = node.config.server
  if (node.type === 'tool' && typeof server === 'string') {
    const icon = serverIcon(server)
    return icon === Server ? Plug : icon
  }
  return typeIcon(node.type)
}
