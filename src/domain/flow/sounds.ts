import { type Flow, type Widget, withWidgets } from './document.ts'

/** The addresses of audio in a drawing, each once. */
export function soundUrls(flow: Flow): string[] {
  const named = Object.values(flow.nodes).map(mediaOf)
  return [...new Set(named.filter((media) => media !== null))]
}

/**
 * The drawing with what can be heard. Audio that is not ready is replaced by what its widget said before, as far back as
 * `earlier` goes (the newest first), and by the default audio when that is not ready either.
 */
export function audibleFlow(flow: Flow, earlier: readonly Flow[], isReady: (url: string) => boolean): Flow {
  return withWidgets(flow, (widget, id) => {
    if (!('media' in widget) || widget.media === null || isReady(widget.media)) return widget
    const before = earlier.map(({ nodes }) => mediaOf(nodes[id])).find((media) => media === null || isReady(media))
    return { ...widget, media: before ?? null }
  })
}

const mediaOf = (widget: Widget | undefined) => (widget && 'media' in widget ? widget.media : null)
