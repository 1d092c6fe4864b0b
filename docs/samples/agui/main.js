// A front end for a Patchbay workflow, on AG-UI's own client: messages as they are written, tool calls, questions.
//
// It asks for the address and a token and keeps both in memory alone. In an app of yours the token stays on your
// server: point `url` at a route of your backend that passes requests on to Patchbay and adds the Authorization header.
import { HttpAgent } from '@ag-ui/client'

const connect = document.querySelector('#connect')
const say = document.querySelector('#say')
const messages = document.querySelector('#messages')
const status = document.querySelector('#status')
const question = document.querySelector('#question')

/** What the workflow's agents may do on this page. Declared with every request, kept with the run that it starts. */
const TOOLS = [
  {
    name: 'set_background',
    description: 'Changes the background color of the page that the person is looking at.',
    parameters: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
  },
]

/** @type {HttpAgent} */
let agent

connect.addEventListener('submit', (event) => {
  event.preventDefault()
  const { url, token } = Object.fromEntries(new FormData(connect))
  agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${token}` } })
  connect.hidden = true
  say.hidden = false
  say.elements.text.focus()
})

say.addEventListener('submit', (event) => {
  event.preventDefault()
  const content = new FormData(say).get('text')
  say.reset()
  show('You', content)
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  void run({})
})

/** One run: from a message or an answer until it ends, fails or asks. */
async function run(parameters) {
  say.hidden = true
  question.hidden = true
  status.textContent = 'Working…'
  const written = new Map()
  const called = new Map()
  let outcome
  try {
    await agent.runAgent({ tools: TOOLS, ...parameters }, {
      onTextMessageStartEvent: ({ event }) => void written.set(event.messageId, show('Workflow', '')),
      onTextMessageContentEvent: ({ event }) => void written.get(event.messageId).append(event.delta),
      onToolCallEndEvent: ({ event, toolCallName, toolCallArgs }) => {
        called.set(event.toolCallId, { name: toolCallName, given: toolCallArgs })
        show('Tool', `${toolCallName} ${JSON.stringify(toolCallArgs)}`)
      },
      onRunErrorEvent: ({ event }) => void (status.textContent = event.message),
      onRunFinishedEvent: ({ event }) => void (outcome = event.outcome),
    })
    if (outcome?.pendingToolCallIds?.length) return answer(outcome.pendingToolCallIds, called)
    if (outcome) ended(outcome)
    else say.hidden = false // it failed, and the status says why
  } catch (error) {
    status.textContent = String(error.message ?? error)
    say.hidden = false
  }
}

/** Do what the agent asks of this page, and go on with what came of it. */
function answer(calls, called) {
  for (const toolCallId of calls) {
    const content = act(called.get(toolCallId))
    agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId, content })
  }
  return run({})
}

function act({ name, given }) {
  if (name !== 'set_background') return `There is no ${name} here.`
  document.body.style.background = ''
  document.body.style.background = given.color
  return document.body.style.background ? `The background is ${given.color} now.` : 'This is no color.'
}

/** How a run ended: a next message, or questions first. */
function ended(outcome) {
  status.textContent = outcome.type === 'cancelled' ? 'The run was cancelled.' : ''
  if (outcome.type === 'interrupt') return ask(outcome.interrupts)
  say.hidden = false
  say.elements.text.focus()
}

/** The questions of a run. What only a person in Patchbay may decide is a link. */
function ask(interrupts) {
  const form = document.createElement('form')
  for (const interrupt of interrupts) {
    const about = document.createElement('p')
    about.textContent = interrupt.message
    form.append(about, ...(interrupt.responseSchema ? fieldsOf(interrupt) : [linkTo(interrupt)]))
  }
  const button = document.createElement('button')
  button.textContent = 'Continue'
  form.append(button)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run({ resume: interrupts.map((interrupt) => answerTo(interrupt, form)) })
  })
  question.replaceChildren(form)
  question.hidden = false
  form.querySelector('input, a')?.focus()
}

function fieldsOf({ id, responseSchema }) {
  const required = responseSchema.required ?? []
  return Object.entries(responseSchema.properties ?? {}).map(([name, schema]) => {
    const label = document.createElement('label')
    const input = document.createElement('input')
    input.name = `${id}.${name}`
    input.type = { boolean: 'checkbox', number: 'number', integer: 'number' }[schema.type] ?? 'text'
    input.required = required.includes(name) && schema.type !== 'boolean'
    label.append(schema.title ?? name, input)
    return label
  })
}

function linkTo({ metadata }) {
  const link = document.createElement('a')
  link.href = metadata.patchbay.url
  link.target = '_blank'
  link.rel = 'noreferrer'
  link.textContent = 'Decide it in Patchbay, then continue here'
  return link
}

function answerTo({ id, responseSchema }, form) {
  if (!responseSchema) return { interruptId: id, status: 'resolved' }
  const payload = {}
  for (const [name, { type }] of Object.entries(responseSchema.properties ?? {})) {
    const input = form.elements[`${id}.${name}`]
    if (type === 'boolean') payload[name] = input.checked
    else if (input.value !== '') payload[name] = input.type === 'number' ? Number(input.value) : input.value
  }
  return { interruptId: id, status: 'resolved', payload }
}

/** A new entry of the conversation; its text may grow. */
function show(from, text) {
  const entry = document.createElement('p')
  const who = document.createElement('span')
  who.className = 'from'
  who.textContent = `${from}: `
  const body = document.createElement('span')
  body.append(text)
  entry.append(who, body)
  messages.append(entry)
  return body
}
