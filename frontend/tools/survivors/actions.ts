/**
 * Finds what a person can do in a source file, and puts a switch in front of each.
 *
 * An action is: an `on…` attribute of an element or component; an `on…`, `run` or `mutationFn` member of an object (a
 * menu's item, a command, a mutation); a command made inside `useActions([…])`; a listener of an event; a method of a
 * controller or store; an edit of the graph. The switches are calls of `globalThis.survivors` (`runtime.ts`).
 */
import { parseAst } from 'rolldown/parseAst'

export type Kind = 'handler' | 'member' | 'command' | 'listener' | 'method' | 'edit'

export interface Action {
  /** `canvas/menu.tsx:83 onSelect`, the same for the same source. */
  readonly id: string
  readonly file: string
  readonly line: number
  readonly kind: Kind
  readonly name: string
  /** The line of the source, for who reads the list. */
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  // biome-ignore lint/suspicious/noExplicitAny: a syntax tree's nodes are read by their type
  readonly [key: string]: any
}

interface Insert {
  readonly at: number
  readonly text: string
  /** Of inserts at the same place, outer ones open first and close last. */
  readonly order: number
}

const HANDLER = /^on[A-Z]/
const MEMBER = /^(on[A-Z]\w*|run|mutationFn)$/
/** What a method that does something gives back: nothing, whether it did, or the id of what it made. */
const DEED = /^(void|boolean|string \| null|Promise<.*>)$/
const EDIT = /^(Graph|\{[^}]*\bgraph: Graph\b[^}]*\}|Made)( \| null)?$/
/** Objects whose methods are deeds: the store of the graph. */
const STORES = new Set(['graph/store.ts'])

const isFunction = (node: Node | null | undefined): boolean =>
  node?.type === 'ArrowFunctionExpression' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'FunctionDeclaration'

/** Whether a function has nothing in it to be switched off. */
const isEmpty = (node: Node | undefined): boolean =>
  node?.body?.type === 'BlockStatement' && node.body.body.length === 0

const nameOf = (key: Node | undefined): string => key?.name ?? String(key?.value ?? '')

class Finder {
  readonly actions: Action[] = []
  readonly inserts: Insert[] = []
  private readonly names = new Map<string, number>()
  private readonly declared = new Map<string, Node>()
  private readonly file: string
  private readonly source: string

  constructor(file: string, source: string) {
    this.file = file
    this.source = source
  }

  private text(node: Node | null | undefined): string {
    return node ? this.source.slice(node.start, node.end).replace(/\s+/g, ' ') : ''
  }

  private add(kind: Kind, name: string, at: Node): string {
    const line = this.source.slice(0, at.start).split('\n').length
    const plain = `${this.file}:${line} ${name}`
    const count = (this.names.get(plain) ?? 0) + 1
    this.names.set(plain, count)
    const id = count === 1 ? plain : `${plain} ${count}`
    const text = (this.source.split('\n')[line - 1] ?? '').trim()
    this.actions.push({ id, file: this.file, line, kind, name, text })
    return JSON.stringify(id)
  }

  /** `expression` becomes `survivors.wrap("id", expression)`. */
  private wrap(kind: Kind, name: string, at: Node, expression: Node): void {
    if (isFunction(expression) && isEmpty(expression)) return
    const id = this.add(kind, name, at)
    const order = expression.end - expression.start
    this.inserts.push({ at: expression.start, text: `globalThis.survivors.wrap(${id}, (`, order })
    this.inserts.push({ at: expression.end, text: '))', order: -order })
  }

  /** The body begins with a look at the switch, and ends there when it is off. */
  private guard(kind: Kind, name: string, at: Node, body: Node, instead: (id: string) => string): void {
    if (body.type !== 'BlockStatement' || body.body.length === 0) return
    const id = this.add(kind, name, at)
    const text = ` if (globalThis.survivors.off(${id})) { ${instead(id)} }`
    this.inserts.push({ at: body.start + 1, text, order: 0 })
  }

  find(): void {
    const lang = this.file.endsWith('x') ? 'tsx' : 'ts'
    const tree = parseAst(this.source, { lang, astType: 'ts' }) as unknown as Node
    this.walk(tree, (node) => {
      if (node.type === 'VariableDeclarator' && isFunction(node.init))
        this.declared.set(node.id.name, node.init)
      if (node.type === 'FunctionDeclaration' && node.id) this.declared.set(node.id.name, node)
    })
    this.walk(tree, (node) => this.look(node))
  }

  private walk(node: Node, visit: (node: Node) => void): void {
    visit(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value])
        if (child && typeof child === 'object' && typeof child.type === 'string') this.walk(child, visit)
    }
  }

  private look(node: Node): void {
    if (node.type === 'JSXAttribute') this.attribute(node)
    else if (node.type === 'ObjectExpression') this.members(node)
    else if (node.type === 'CallExpression') this.call(node)
    else if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') this.method(node)
    else if (node.type === 'ExportNamedDeclaration') this.edit(node)
  }

  private attribute(node: Node): void {
    const name = nameOf(node.name)
    const value = node.value?.expression
    if (!HANDLER.test(name) || !value || value.type === 'JSXEmptyExpression') return
    if (value.type === 'Literal' || (value.type === 'Identifier' && value.name === 'undefined')) return
    if (value.type === 'Identifier' && isEmpty(this.declared.get(value.name))) return
    this.wrap('handler', name, node, value)
  }

  private members(node: Node): void {
    for (const member of node.properties as Node[]) {
      if (member.type !== 'Property' || member.computed) continue
      const name = nameOf(member.key)
      const store = STORES.has(this.file)
      if (!isFunction(member.value)) continue
      if (store && member.method) this.guard('method', name, member, member.value.body, () => 'return')
      else if (MEMBER.test(name)) {
        if (member.method) this.guard('member', name, member, member.value.body, () => 'return')
        else this.wrap('member', name, member, member.value)
      }
    }
  }

  private call(node: Node): void {
    if (node.callee.type === 'Identifier' && node.callee.name === 'useActions') {
      const list = node.arguments[0]
      if (list?.type !== 'ArrayExpression') return
      for (const element of list.elements as Node[]) {
        if (element?.type !== 'CallExpression' || element.callee.type !== 'Identifier') continue
        const run = (element.arguments as Node[]).find(isFunction)
        const [id] = element.arguments as Node[]
        if (run) this.wrap('command', id?.type === 'Literal' ? String(id.value) : 'command', element, run)
      }
    }
    const method = nameOf(node.callee.property)
    if (node.callee.type !== 'MemberExpression' || method !== 'addEventListener') return
    const [event, listener] = node.arguments as Node[]
    if (!listener) return
    const name = `on ${event?.type === 'Literal' ? event.value : this.text(event)}`
    if (isFunction(listener)) this.wrap('listener', name, node, listener)
    else if (listener.type === 'Identifier') {
      const body = this.declared.get(listener.name)?.body
      if (body) this.guard('listener', name, node, body, () => 'return')
    }
  }

  private method(node: Node): void {
    const name = nameOf(node.key)
    if (node.key.type === 'PrivateIdentifier' || node.accessibility === 'private') return
    if (node.static || name === 'constructor' || node.kind === 'get' || node.kind === 'set') return
    if (!isFunction(node.value)) return
    const type = this.text(node.value.returnType?.typeAnnotation)
    if (type !== '' && !DEED.test(type)) return
    if (node.type === 'MethodDefinition' || node.value.body.type === 'BlockStatement')
      this.guard('method', name, node, node.value.body, () => 'return')
    else this.wrap('method', name, node, node.value)
  }

  /** An edit that does nothing gives back the graph that it was given. */
  private edit(node: Node): void {
    const declaration = node.declaration
    if (!this.file.startsWith('graph/') || declaration?.type !== 'FunctionDeclaration' || !declaration.id)
      return
    const [first] = declaration.params as Node[]
    if (first?.type !== 'Identifier' || this.text(first.typeAnnotation?.typeAnnotation) !== 'Graph') return
    const type = this.text(declaration.returnType?.typeAnnotation)
    if (!EDIT.test(type)) return
    const name = declaration.id.name as string
    this.guard('edit', name, declaration, declaration.body, (id) =>
      type === 'Graph'
        ? `return ${first.name}`
        : `return globalThis.survivors.unmade(${id}, () => ${name}(...arguments), ${first.name})`,
    )
  }
}

/** The actions of a file; `file` is its path below `src`. */
export function findActions(file: string, source: string): readonly Action[] {
  const finder = new Finder(file, source)
  finder.find()
  return finder.actions
}

/** The source with a switch in front of each action; lines stay where they are. */
export function withSwitches(file: string, source: string): string {
  const finder = new Finder(file, source)
  finder.find()
  // At one place what closes comes before what opens: inner first when closing, outer first when opening.
  const closing = (insert: Insert) => Number(insert.order < 0)
  const ordered = [...finder.inserts].sort(
    (left, right) => left.at - right.at || closing(right) - closing(left) || right.order - left.order,
  )
  let made = ''
  let from = 0
  for (const insert of ordered) {
    made += source.slice(from, insert.at) + insert.text
    from = insert.at
  }
  return made + source.slice(from)
}
