import { Component, type ReactNode } from 'react'
import { Trouble } from './trouble.tsx'

interface Props {
  children: ReactNode
}

/** A part of the page that fails is replaced by a message; the parts around it, and a call in progress, are not affected. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <Trouble
        error={new Error('This part of the app could not be shown. Reload the page.')}
        title="Something went wrong"
        retry={() => this.setState({ error: undefined })}
      />
    )
  }
}
