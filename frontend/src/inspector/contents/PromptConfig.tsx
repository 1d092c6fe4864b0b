/** A prompt node: which server, which of its prompts, and a field for each of its arguments. */
import { useQuery } from '@tanstack/react-query'
import { promptsQuery } from '@/api/contents'
import { isRecord } from '@/forms'
import { useT } from '@/i18n'
import { ServerSelect } from '@/inspector/editors/ToolConfig'
import { TextEntry, useFieldErrors, useNodeForm } from '@/inspector/node-form'
import { Select, Skeleton, visible } from '@/ui'
import { Arguments, RequestFailed, text, useRegistered } from './parts'

export function PromptConfig() {
  const form = useNodeForm()
  const server = useRegistered()
  const offered = useQuery({ ...promptsQuery(server), enabled: server !== '' && !form.disabled })
  const name = text(form.node.config.prompt)
  const prompt = offered.data?.find((item) => item.name === name)
  return (
    <>
      <ServerSelect />
      {offered.data ? <PromptSelect names={offered.data.map((item) => item.name)} /> : <PromptName />}
      <RequestFailed error={offered.error} />
      {prompt?.description ? <p className="field-hint form-hint">{visible(prompt.description)}</p> : null}
      {offered.isLoading ? (
        <Skeleton rows={2} row={44} />
      ) : (
        <Filled name={name} known={prompt?.arguments} listed={offered.data !== undefined} />
      )}
    </>
  )
}

type Known = Parameters<typeof Arguments>[0]['known']

function Filled({ name, known, listed }: { name: string; known: Known; listed: boolean }) {
  const t = useT()
  const { config } = useNodeForm().node
  const hasArguments = isRecord(config.arguments) ? Object.keys(config.arguments).length > 0 : false
  if (name === '' && !hasArguments) return <p className="field-hint">{t('contents.choose_first')}</p>
  if (known?.length === 0 && !hasArguments) return <p className="field-hint">{t('contents.no_arguments')}</p>
  return <Arguments kind="prompt" of={name} known={listed ? known : undefined} />
}

/** The name alone, where the server cannot be asked for its prompts. */
function PromptName() {
  const t = useT()
  return (
    <TextEntry
      label={t('contents.prompt')}
      path={['prompt']}
      value={text(useNodeForm().node.config.prompt)}
    />
  )
}

function PromptSelect({ names }: { names: readonly string[] }) {
  const t = useT()
  const form = useNodeForm()
  const value = text(form.node.config.prompt)
  const options = [
    { value: '', label: t('contents.nothing_chosen') },
    ...names.map((name) => ({ value: name, label: visible(name) })),
  ]
  if (value !== '' && !names.includes(value))
    options.push({ value, label: t('contents.unknown_prompt', { name: visible(value) }) })
  return (
    <Select
      label={t('contents.prompt')}
      value={value}
      options={options}
      disabled={form.disabled}
      error={useFieldErrors(['prompt'])[0]}
      {...(names.length === 0 ? { hint: t('contents.nothing_offered') } : {})}
      onChange={(next) => {
        const { arguments: _gone, prompt: _before, ...rest } = form.node.config
        form.edit.config([], next === '' ? rest : { ...rest, prompt: next })
      }}
    />
  )
}
