/** The team's secrets by name: what a request may sign in with. Their values never come here. */
import { useQuery } from '@tanstack/react-query'
import { api } from '@/api/client'

export function useSecrets() {
  return useQuery({ queryKey: ['secret'], queryFn: () => api.get('/api/secrets') }).data?.results
}
