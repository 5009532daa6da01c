import type { Tx } from '../../db/database.ts'
import type { CompanyId } from '../../db/tables.ts'
import { type AnyEventName, eventKind } from '../../domain/events.ts'
import { appendEvents, type NewEvent } from '../../events/log.ts'
import { type ViewContext, viewContextOf } from '../../http/view-context.ts'
import type { Services } from '../../services.ts'

/** The facts that become events, by kind. Each context declares its own here (`declare module`). */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the contexts
export interface FactsByKind {}

/** Something that happened to an object, with the object as it is at that moment. */
export type Fact = FactsByKind[keyof FactsByKind]

/** An event that is ready to be written. */
export interface RenderedEvent
  extends Pick<NewEvent, 'resourceKey' | 'stream' | 'precedes' | 'data' | 'numberId' | 'audience' | 'assetRefs'> {
  name: AnyEventName
  /** When it happened, if that is not now. */
  at?: number
}

export interface RenderScope {
  services: Services
  tx: Tx
  companyId: CompanyId
  context: ViewContext
}

/** Loads what all of the facts name at once, then renders each of them. */
export type FactRenderer<F> = (
  scope: RenderScope,
  facts: readonly F[],
) => Promise<(fact: F) => RenderedEvent[] | Promise<RenderedEvent[]>>

export type FactRenderers = { [K in keyof FactsByKind]: FactRenderer<FactsByKind[K]> }

/** The only way to publish events: rendered and written in the transaction of the change. */
export async function publish(services: Services, tx: Tx, companyId: CompanyId, facts: readonly Fact[]): Promise<void> {
  const context = viewContextOf(services)
  const scope: RenderScope = { services, tx, companyId, context }
  const renderers = services.factRenderers as Record<string, FactRenderer<Fact>>
  const render = new Map<string, Awaited<ReturnType<FactRenderer<Fact>>>>()
  for (const kind of new Set(facts.map(({ kind }) => kind))) {
    const renderer = renderers[kind]
    if (!renderer) throw new Error(`no renderer for facts of kind ${kind}`)
    render.set(
      kind,
      await renderer(
        scope,
        facts.filter((fact) => fact.kind === kind),
      ),
    )
  }
  const rows: NewEvent[] = []
  for (const fact of facts) {
    const rendered = (await render.get(fact.kind)?.(fact)) ?? []
    for (const { at, ...event } of rendered) {
      rows.push({ ...event, resource: eventKind(event.name).resource, occurredAt: at ?? context.at })
    }
  }
  const lateMs = services.sandbox?.faults.latenessMs(companyId) ?? 0
  await appendEvents(tx, services.clock, companyId, rows, lateMs)
}
