/** How a template is fitted to the team: which server and model it works with, and which server is added for it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ApiError, api } from '@/api/client'
import { providersQuery } from '@/api/providers'
import { useMay } from '@/api/queries'
import type { components } from '@/api/schema'
import { type Preset, presetsQuery, serversQuery } from '@/api/servers'

export type Template = components['schemas']['Template']
type Need = Template['needs'][number]

export const templatesQuery = {
  queryKey: ['workflow-template'],
  queryFn: async () => (await api.get('/api/workflow-templates')).results,
}

/** The choice "add one": no slug begins like this. */
export const NEW = '+'

export interface Fitting {
  /** What is put in for the needs: as chosen, else what fits by name. */
  uses: Readonly<Record<string, string>>
  choose: (name: string, value: string) => void
  /** The presets of the servers that are added for it, by the names of the needs. */
  added: Readonly<Record<string, Preset>>
  /** What was typed where a preset asks: `need.NAME`. */
  values: Readonly<Record<string, string>>
  type: (key: string, value: string) => void
  /** That the programs to be started are known. */
  known: boolean
  setKnown: (known: boolean) => void
}

/** The preset by which a need's server can be added right here: it asks for nothing secret. */
export function useAddable(): (need: Need) => Preset | undefined {
  const presets = useQuery(presetsQuery).data ?? []
  const may = useMay('admin')
  return (need) =>
    presets.find(
      (preset) =>
        may &&
        preset.id === need.preset &&
        preset.available &&
        preset.secrets.every((secret) => !secret.required),
    )
}

/** The choices for a template, with the team's servers of the same name or preset chosen beforehand. */
export function useFitting(template: Template | undefined): Fitting {
  const servers = useQuery(serversQuery).data
  const providers = useQuery(providersQuery).data ?? []
  const addable = useAddable()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const [values, setValues] = useState<Record<string, string>>({})
  const [known, setKnown] = useState(false)
  const uses: Record<string, string> = {}
  const added: Record<string, Preset> = {}
  for (const need of template?.needs ?? []) {
    if (need.kind === 'server') {
      const own = servers?.find((server) => server.slug === need.name)
      const same = servers?.find((server) => need.preset !== '' && server.preset === need.preset)
      const preset = addable(need)
      const choice = chosen[need.name] ?? own?.slug ?? same?.slug ?? (servers && preset ? NEW : '')
      if (choice === NEW && preset) added[need.name] = preset
      else if (choice) uses[need.name] = choice
    } else {
      const provider = chosen.provider ?? providers[0]?.slug
      const model = chosen.model ?? providers.find((entry) => entry.slug === provider)?.models[0]?.id
      if (provider) uses.provider = provider
      if (model) uses.model = model
    }
  }
  return {
    uses,
    added,
    values,
    known,
    setKnown,
    type: (key, value) => setValues((before) => ({ ...before, [key]: value })),
    choose: (name, value) =>
      setChosen((before) => {
        const next = { ...before, [name]: value }
        if (name === 'provider') delete next.model
        return next
      }),
  }
}

/** The first value that an added server still needs, as its preset labels it. */
export function missingOf({ added, values }: Fitting): Preset['inputs'][number]['label'] | undefined {
  for (const [need, preset] of Object.entries(added)) {
    const field = preset.inputs.find((input) => input.required && !values[`${need}.${input.name}`]?.trim())
    if (field) return field.label
  }
  return undefined
}

/** Registers a server by its preset and connects to it once; one that cannot be reached is not kept. */
async function addServer(need: string, preset: Preset, values: Fitting['values']): Promise<string> {
  const filled = preset.inputs.map((input) => [input.name, values[`${need}.${input.name}`]?.trim() ?? ''])
  const body = { preset: preset.id, values: Object.fromEntries(filled.filter(([, value]) => value)) }
  const server = await api.post('/api/mcp/servers', { body })
  const place = { params: { path: { server: server.id } } }
  let report: components['schemas']['Test'] | undefined
  try {
    report = await api.post('/api/mcp/servers/{server}/test', place)
  } finally {
    if (!report?.ok) await api.delete('/api/mcp/servers/{server}', place)
  }
  if (!report.ok) {
    throw new ApiError(0, report.code ?? '', report.message, report.hint, {}, { stderr: report.stderr })
  }
  return server.slug
}

/** Makes the workflow, after the servers that are added for it, and opens it; to try it, with the form of its run. */
export function useBegin(fitting: Fitting, trying = false) {
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (template: Template) => {
      const uses = { ...fitting.uses }
      for (const [need, preset] of Object.entries(fitting.added)) {
        uses[need] = await addServer(need, preset, fitting.values)
        fitting.choose(need, uses[need])
      }
      return api.post('/api/workflows', { body: { template: template.id, uses } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['server'] }),
    onSuccess: (result) => {
      void client.invalidateQueries({ queryKey: ['workflow'] })
      navigate(`/workflows/${result.id}`, trying ? { state: { run: true } } : {})
    },
  })
}
