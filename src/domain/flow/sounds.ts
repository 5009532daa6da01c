import { type Flow, type Widget, withWidgets } from './document.ts'

/** The audio URLs of a flow, without duplicates. */
export function soundUrls(flow: Flow): string[] {
  const named = Object.values(flow.nodes).map(mediaOf)
  return [...new Set(named.filter((media) => media !== null))]
}

/**
 * The flow with playable audio. Audio that is not ready is replaced by the previous audio of its widget, as far back
 * as `earlier` goes (newest first), and by the default audio when that is not ready either.
 */
export function audibleFlow(flow: Flow, earlier: readonly Flow[], isReady: (url: string) => boolean): Flow {
  return withWidgets(flow, (widget, id) => {
    if (!('media' in widget) || widget.media === null || isReady(widget.media)) return widget
    const before = earlier.map(({ nodes }) => mediaOf(nodes[id])).find((media) => media === null || isReady(media))
    return { ...widget, media: before ?? null }
  })
}

const mediaOf = (widget: Widget | undefined) => (widget && 'media' in widget ? widget.media : null)
