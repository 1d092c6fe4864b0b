/** What a person does with providers, each as one mutation that leaves the lists fresh. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { Provider } from '@/api/providers'
import type { components } from '@/api/schema'
import type { UserCredentialInput } from '@/forms'

type Schemas = components['schemas']
export type Model = Schemas['ProviderModel']
export type Feature = Schemas['FeaturesEnum']
export type Preset = Schemas['ProviderPreset']
export type Report = Schemas['ProviderTest']
export type NewProvider = Schemas['NewProviderRequest']
export type ProviderChange = Schemas['PatchedProviderInputRequest']
export type Trial = Schemas['TrialProviderRequest']

const place = (provider: string) => ({ params: { path: { provider } } })

/** Ready providers; `look` sees which model servers run on this machine. */
export const presetsQuery = (look: boolean) =>
  queryOptions({
    queryKey: ['provider-preset', look],
    staleTime: look ? 0 : 60_000,
    queryFn: async () =>
      (await api.get('/api/provider-presets', { params: { query: look ? { look: true } : {} } })).results,
  })

export function useCreateProvider() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (provider: NewProvider) => api.post('/api/providers', { body: provider }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['provider'] }),
  })
}

export function useChangeProvider(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: ProviderChange) =>
      api.patch('/api/providers/{provider}', { ...place(id), body: change }),
    onSuccess: (provider: Provider) => {
      client.setQueryData<readonly Provider[]>(['provider', 'list'], (rows) =>
        rows?.map((row) => (row.id === provider.id ? provider : row)),
      )
      return client.invalidateQueries({ queryKey: ['provider'] })
    },
  })
}

export function useDeleteProvider(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.delete('/api/providers/{provider}', place(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['provider'] }),
  })
}

/** Entering one's own key, and deleting it. A test of before says nothing any more. */
export function useUserCredentials(id: string) {
  const client = useQueryClient()
  const done = () => {
    client.setQueryData(['provider-report', id], null)
    return client.invalidateQueries({ queryKey: ['provider'] })
  }
  const enter = useMutation({
    mutationFn: (keys: UserCredentialInput) =>
      api.patch('/api/providers/{provider}/credentials', { ...place(id), body: keys }),
    onSuccess: done,
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/providers/{provider}/credentials', place(id)),
    onSuccess: done,
  })
  return { enter, remove }
}

/** The last test of a saved provider since the page was opened. */
export function useTest(id: string) {
  const client = useQueryClient()
  const { data: report } = useQuery<Report | null>({
    queryKey: ['provider-report', id],
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const test = useMutation({
    mutationFn: (model: string) =>
      api.post('/api/providers/{provider}/test', { ...place(id), body: model ? { model } : {} }),
    onSuccess: (match) => {
      client.setQueryData(['provider-report', id], match)
      return client.invalidateQueries({ queryKey: ['provider'] })
    },
  })
  return { report: report ?? null, test }
}

export function useTrial() {
  return useMutation({ mutationFn: (provider: Trial) => api.post('/api/providers/test', { body: provider }) })
}

/** Asks the endpoint for its models; this connects. */
export function useListedModels(id: string) {
  return useMutation({
    mutationFn: async () => (await api.get('/api/providers/{provider}/models', place(id))).results,
  })
}
