/** A resource node: which server, which of its resources, and the values of a template's variables. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Resource, type ResourceTemplate, resourcesQuery } from '@/api/contents'
import { useT } from '@/i18n'
import { ServerSelect } from '@/inspector/editors/ToolConfig'
import { TextEntry, useNodeForm } from '@/inspector/node-form'
import { visible } from '@/ui'
import { SearchSelect } from '@/ui/floating/search-select'
import { type Argument, Arguments, RequestFailed, text, useRegistered } from './parts'

/** Choices that are shown at once; words narrow them down. */
const MOST = 100

export function ResourceConfig() {
  const t = useT()
  const form = useNodeForm()
  const server = useRegistered()
  const offered = useQuery({ ...resourcesQuery(server), enabled: server !== '' && !form.disabled })
  const uri = text(form.node.config.uri)
  const template = offered.data?.templates.find((item) => item.uri_template === uri)
  return (
    <>
      <ServerSelect />
      {offered.data ? <Offered resources={offered.data.results} templates={offered.data.templates} /> : null}
      <RequestFailed error={offered.error} />
      <TextEntry label={t('contents.uri')} path={['uri']} value={uri} hint={t('contents.uri_hint')} />
      {isTemplate(uri) || hasArguments(form.node.config.arguments) ? (
        <Arguments kind="template" of={uri} known={template?.variables ?? named(uri)} />
      ) : null}
    </>
  )
}

const isTemplate = (uri: string): boolean => uri.includes('{') && !uri.includes('{{')

const hasArguments = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** The variables of a template that the server does not list; the server says what is wrong with them. */
function named(uri: string): readonly Argument[] | undefined {
  if (!isTemplate(uri)) return undefined
  const variables = [...uri.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g)].flatMap(([, operator = '', names = '']) =>
    names.split(',').map((name) => ({
      name: name.replace(/(\*|:\d+)$/, ''),
      required: !'?&#'.includes(operator) || operator === '',
    })),
  )
  return variables.every(({ name }) => /^[\w.]+$/.test(name)) ? variables : undefined
}

function Offered(props: { resources: readonly Resource[]; templates: readonly ResourceTemplate[] }) {
  const t = useT()
  const form = useNodeForm()
  const [search, onSearch] = useState('')
  const all = [
    ...props.resources.map((item) => ({
      value: item.uri,
      label: label(item.title ?? item.name, item.uri),
      group: t('contents.resources'),
    })),
    ...props.templates.map((item) => ({
      value: item.uri_template,
      label: label(item.title ?? item.name, item.uri_template),
      group: t('contents.templates'),
    })),
  ]
  const words = search.trim().toLowerCase()
  const options = all.filter((item) => item.label.toLowerCase().includes(words))
  const value = text(form.node.config.uri)
  if (all.length === 0) return <p className="field-hint">{t('contents.nothing_offered')}</p>
  return (
    <SearchSelect
      label={t('contents.choose_resource')}
      value={value}
      shown={all.find((item) => item.value === value)?.label ?? t('contents.nothing_chosen')}
      disabled={form.disabled}
      choices={{
        search,
        onSearch,
        options: options.slice(0, MOST),
        busy: false,
        more: undefined,
        failed: false,
      }}
      onChange={(next) => {
        const { arguments: _gone, ...rest } = form.node.config
        form.edit.config([], { ...rest, uri: next })
      }}
    />
  )
}

const label = (name: string, uri: string): string => visible(`${name} · ${uri}`)
