/** What is shown of versions and drafts, in one file to load: the comparison, their list, publishing. */
export { HistoryDialog } from '@/versions/HistoryDialog'
export { PublishDialog } from '@/versions/PublishDialog'
export { CompareView } from './CompareView'
