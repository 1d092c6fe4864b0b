/** Publishing an earlier version again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '@/api/client'
import { publishVersion } from '@/api/versions'
import { useT } from '@/i18n'
import { toast } from '@/ui'

/** Publishing an earlier version again, in one click. */
export function usePublishAgain(workflow: string, onPublished: (version: number) => void) {
  const t = useT()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: number) => publishVersion(workflow, version),
    onSuccess: ({ version }) => {
      onPublished(version)
      toast.ok(t('versions.published_again', { version: String(version) }))
      void client.invalidateQueries({ queryKey: ['version', workflow] })
      void client.invalidateQueries({ queryKey: ['workflow'] })
    },
    onError: (thrown) => {
      const error = asApiError(thrown)
      toast.error({ title: error.message, text: error.hint, reference: error.reference })
    },
  })
}
