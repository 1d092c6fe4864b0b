/** What a person does in the registry, each as one mutation that leaves the lists fresh. */
import { type InfiniteData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '@/api/client'
import type { components } from '@/api/schema'
import {
  type Server,
  type ServerPage,
  serverQuery,
  type TestReport,
  type Tool,
  toolQuery,
} from '@/api/servers'
import type { UserCredentialInput } from '@/forms'
import { type Stage, testByLines, withStage } from './test-lines'

type Schemas = components['schemas']
export type NewServer = Schemas['NewServerRequest']
export type ServerChange = Schemas['PatchedServerInputRequest']
export type TrialServer = Schemas['TrialServerRequest']
export type ToolChange = Schemas['PatchedToolPatchRequest']
export type PoliciesRequest = Required<Schemas['PatchedPoliciesRequest']>
export type Call = Schemas['Call']
export type WireMessage = Schemas['Message']

/** The lists that a server stands in. */
const LISTS = [
  ['server', 'list'],
  ['server', 'pages'],
] as const

const place = (server: string) => ({ params: { path: { server } } })

export function useCreateServer() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (server: NewServer) => api.post('/api/mcp/servers', { body: server }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

export function useChangeServer(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: ServerChange) =>
      api.patch('/api/mcp/servers/{server}', { ...place(id), body: change }),
    onSuccess: (server: Server) => {
      const fresh = (row: Server) => (row.id === server.id ? server : row)
      client.setQueryData<readonly Server[]>(['server', 'list'], (rows) => rows?.map(fresh))
      client.setQueriesData<InfiniteData<ServerPage>>({ queryKey: ['server', 'pages'] }, (data) =>
        data
          ? { ...data, pages: data.pages.map((page) => ({ ...page, results: page.results.map(fresh) })) }
          : data,
      )
      for (const key of [server.id, server.slug])
        if (client.getQueryData(serverQuery(key).queryKey))
          client.setQueryData(serverQuery(key).queryKey, server)
      return client.invalidateQueries({ queryKey: ['server'] })
    },
  })
}

/** Ask the registry of packages for a newer version of what a server is started from. */
export function useCheckPackage(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.post('/api/mcp/servers/{server}/package/look', place(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

/** Accept the version that is offered: it is installed, and started from then on. */
export function useUpdatePackage(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: string) =>
      api.post('/api/mcp/servers/{server}/package/update', { ...place(id), body: { version } }),
    onSuccess: () => {
      client.setQueryData(reportKey(id), null)
      return client.invalidateQueries({ queryKey: ['server'] })
    },
  })
}

/** The same two of a server that a workflow declares. */
export function useCheckDeclaredPackage(digest: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      api.post('/api/mcp/declarations/{digest}/package/look', { params: { path: { digest } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['declaration'] }),
  })
}

export function useUpdateDeclaredPackage(digest: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: string) =>
      api.post('/api/mcp/declarations/{digest}/package/update', {
        params: { path: { digest } },
        body: { version },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['declaration'] }),
  })
}

export function useDeleteServer(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.delete('/api/mcp/servers/{server}', place(id)),
    onSuccess: () => Promise.all(LISTS.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/** Entering one's own credentials, and deleting them. A test of before says nothing any more. */
export function useUserCredentials(id: string) {
  const client = useQueryClient()
  const done = () => {
    client.setQueryData(reportKey(id), null)
    return client.invalidateQueries({ queryKey: ['server'] })
  }
  const enter = useMutation({
    mutationFn: (keys: UserCredentialInput) =>
      api.patch('/api/mcp/servers/{server}/credentials', { ...place(id), body: keys }),
    onSuccess: done,
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/mcp/servers/{server}/credentials', place(id)),
    onSuccess: done,
  })
  return { enter, remove }
}

const reportKey = (id: string) => ['test-report', id]
const stagesKey = (id: string) => ['test-stages', id]
const NO_STAGES: readonly Stage[] = []

/** The last test of a saved server since the page was opened, whichever tab started it. */
export function useTest(id: string) {
  const client = useQueryClient()
  const { data: report } = useQuery<TestReport | null>({
    queryKey: reportKey(id),
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const { data: stages } = useQuery<readonly Stage[]>({
    queryKey: stagesKey(id),
    queryFn: () => NO_STAGES,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const test = useMutation({
    mutationKey: ['test', id],
    mutationFn: () => {
      client.setQueryData(stagesKey(id), NO_STAGES)
      return testByLines(`/api/mcp/servers/${encodeURIComponent(id)}/test`, {}, (stage) =>
        client.setQueryData<readonly Stage[]>(stagesKey(id), (message) =>
          withStage(message ?? NO_STAGES, stage),
        ),
      )
    },
    onSuccess: (match) => {
      client.setQueryData(reportKey(id), match)
      // the test is over with its report; what it changed is read anew beside it
      void client.invalidateQueries({ queryKey: ['server'] })
    },
  })
  return { report: report ?? null, stages: stages ?? NO_STAGES, test }
}

/** `tools` = how many of them its report is to carry. */
export function useTrial(tools = 0) {
  const [stages, setStages] = useState(NO_STAGES)
  const trial = useMutation({
    mutationFn: (server: TrialServer) => {
      setStages(NO_STAGES)
      const onStage = (stage: Stage) => setStages((messages) => withStage(messages, stage))
      return testByLines('/api/mcp/servers/test', server, onStage, tools)
    },
  })
  return { trial, stages }
}

/** Asks the server for its tools anew; this connects. */
export function useRefreshTools(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      api.get('/api/mcp/servers/{server}/tools', {
        params: { path: { server: id }, query: { refresh: true, limit: 1 } },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

function useToolUpdate(server: string) {
  const client = useQueryClient()
  return (tool: Tool) => {
    const kept = (rows: readonly Tool[]) => rows.map((row) => (row.name === tool.name ? tool : row))
    client.setQueryData(toolQuery(server, tool.name).queryKey, tool)
    client.setQueriesData<InfiniteData<Schemas['ToolList']>>(
      { queryKey: ['server', server, 'tool-pages'] },
      (all) =>
        all && { ...all, pages: all.pages.map((page) => ({ ...page, results: [...kept(page.results)] })) },
    )
    return client.invalidateQueries({ queryKey: ['server'] })
  }
}

export function useChangeTool(server: string, tool: string) {
  return useMutation({
    mutationFn: (change: ToolChange) =>
      api.patch('/api/mcp/servers/{server}/tools/{tool}', {
        params: { path: { server, tool } },
        body: change,
      }),
    onSuccess: useToolUpdate(server),
  })
}

/** One policy for all tools of a kind; every list of the server's tools is read anew. */
export function useSetPolicies(server: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PoliciesRequest) =>
      api.patch('/api/mcp/servers/{server}/tools', { ...place(server), body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['server'] }),
  })
}

export function useAcceptTool(server: string, tool: string) {
  return useMutation({
    mutationFn: () =>
      api.post('/api/mcp/servers/{server}/tools/{tool}/accept', { params: { path: { server, tool } } }),
    onSuccess: useToolUpdate(server),
  })
}

export function useImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schemas['ImportInputRequest']) => api.post('/api/mcp/servers/import', { body }),
    onSuccess: (_, body) => (body.preview ? undefined : client.invalidateQueries({ queryKey: ['server'] })),
  })
}

export function useDecideDeclaration(digest: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (decision: 'approve' | 'reject') =>
      api.post(
        decision === 'approve'
          ? '/api/mcp/declarations/{digest}/approve'
          : '/api/mcp/declarations/{digest}/reject',
        { params: { path: { digest } } },
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['declaration'] }),
  })
}
