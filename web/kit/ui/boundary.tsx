import { Component, type ReactNode } from 'react'
import { ErrorAlert } from './error-alert.tsx'

interface Props {
  children: ReactNode
}

/** Replaces a part of the page that throws by an error; the rest of the page and a call in progress are not affected. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <ErrorAlert
        error={new Error('This part of the app could not be shown. Reload the page.')}
        title="Something went wrong"
        retry={() => this.setState({ error: undefined })}
      />
    )
  }
}
