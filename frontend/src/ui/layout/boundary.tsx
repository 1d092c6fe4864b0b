/** Catches what breaks while drawing, so that one panel does not take the page with it. */
import { Component, type ErrorInfo, type ReactNode } from 'react'
import { translate } from '@/i18n'
import { CodeMissing } from '@/loading/lazily'
import { Button } from '@/ui/controls/button'
import { ErrorBox } from '@/ui/display/feedback'

interface Props {
  readonly children: ReactNode
  /** A change of it tries again: the address of the page. */
  readonly resetKey?: string
  /** Nobody misses it: nothing is shown in its place. */
  readonly optional?: boolean
}

export class Boundary extends Component<Props, { readonly error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidCatch(_error: Error, _info: ErrorInfo) {
    // React has written it to the console with its place already.
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error && before.resetKey !== this.props.resetKey) this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    if (this.props.optional) return null
    const again = () => {
      if (error instanceof CodeMissing) error.forget()
      this.setState({ error: null })
    }
    return (
      <div className="p-4">
        <ErrorBox
          error={{
            code: '',
            message: translate('common.error_screen'),
            hint: translate('common.error_screen_hint'),
          }}
          actions={
            <>
              <Button variant="primary" onClick={() => window.location.reload()}>
                {translate('common.reload')}
              </Button>
              <Button onClick={again}>{translate('common.retry')}</Button>
            </>
          }
        >
          <pre className="well well-small">{error.message}</pre>
        </ErrorBox>
      </div>
    )
  }
}
