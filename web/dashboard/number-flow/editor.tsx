import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { useCallback, useMemo, useReducer, useState } from 'react'
import { ApiError, api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'
import { Bar } from './bar.tsx'
import { Canvas, type Chosen, placesOf } from './canvas.tsx'
import { titleOf } from './catalogue.ts'
import {
  addWidget,
  copyWidget,
  type Flow,
  forgetPlaces,
  type Point,
  readFlow,
  removeWidgets,
  sameFlow,
  setBranch,
  slotsOf,
  targetOf,
  type WidgetType,
  widgetAt,
} from './flow.ts'
import { Guard } from './guard.tsx'
import { begin, step } from './history.ts'
import { countFlaws, type Flaws, flawFromServer, judge } from './judge.ts'
import { useNames } from './names.ts'
import classes from './node.module.css'
import { Palette, WidgetPanel } from './panel.tsx'
import { TestCall } from './test-call.tsx'
import type { Way } from './trace.ts'
import { type ShownVersion, Versions } from './versions.tsx'

export interface StoredFlow {
  live: { version: number } & Record<string, unknown>
  draft: unknown
}

interface Props {
  number: { id: number; name: string; digits: string }
  stored: StoredFlow
  /** A classic number shows its flow, and has it changed elsewhere. */
  isFixed: boolean
}

/** The drawing of what happens to a call, and all that can be done with it. */
export default function FlowEditor(props: Props) {
  return (
    <ReactFlowProvider>
      <Editor {...props} />
    </ReactFlowProvider>
  )
}

function Editor({ number, stored, isFixed }: Props) {
  const session = useSession()
  const queries = useQueryClient()
  const names = useNames()
  const live = useMemo(() => readFlow(stored.live) ?? { start: '', nodes: {} }, [stored.live])
  const draft = useMemo(() => readFlow(stored.draft), [stored.draft])
  // The draft is what somebody left; published is what callers get.
  const saved = draft ?? live
  const [history, dispatch] = useReducer(step, saved, begin)
  const [chosen, setChosen] = useState<Chosen>()
  const [refused, setRefused] = useState<{ flow: Flow; node: string; flaw: string }>()
  const [look, setLook] = useState<ShownVersion>()
  const [isListing, setListing] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const [way, setWay] = useState<Way>()
  const [busy, setBusy] = useState<'publish' | 'draft'>()

  const readOnly = isFixed || !isAdmin(session) || look !== undefined
  const flow = look?.flow ?? history.present
  const isDirty = !sameFlow(history.present, saved)
  const isPublished = sameFlow(history.present, live)
  const flaws = useMemo(() => allFlaws(flow, refused, isFixed), [flow, refused, isFixed])
  const flawCount = countFlaws(flaws)

  const change = useCallback(
    (next: Flow, about?: string) => dispatch({ do: 'change', flow: next, ...(about && { about }) }),
    [],
  )
  const undo = () => dispatch({ do: 'undo' })
  const redo = () => dispatch({ do: 'redo' })
  useHotkeys([
    ['mod+Z', () => !readOnly && undo()],
    ['mod+shift+Z', () => !readOnly && redo()],
    ['mod+Y', () => !readOnly && redo()],
    ['mod+S', () => !readOnly && !isPublished && void save('publish')],
    ['Escape', () => setChosen(undefined)],
  ])

  const add = (type: WidgetType, at?: Point, from?: { id: string; slot: string }) => {
    const parent = from ?? openBranch(flow, chosen)
    const made = addWidget(flow, type, at ?? placeBelow(flow, parent?.id))
    change(parent ? setBranch(made.flow, parent.id, parent.slot, made.id) : made.flow)
    setChosen({ kind: 'widget', id: made.id })
  }
  const remove = (what: Chosen) => {
    if (what?.kind === 'branch') change(setBranch(flow, what.from, what.slot, undefined))
    if (what?.kind === 'widget') change(removeWidgets(flow, [what.id]))
    setChosen(undefined)
  }
  const copy = (id: string) => {
    const made = copyWidget(flow, id)
    if (!made) return
    change(made.flow)
    setChosen({ kind: 'widget', id: made.id })
  }

  async function save(as: 'publish' | 'draft') {
    const { start, nodes } = history.present
    setBusy(as)
    try {
      const answer = await api.put<StoredFlow>(`/v1/numbers/${number.id}/flow${as === 'draft' ? '?draft=true' : ''}`, {
        start,
        nodes,
      })
      setRefused(undefined)
      queries.setQueryData(['number', number.id, 'flow'], answer)
      const kept = readFlow(as === 'draft' ? answer.draft : answer.live)
      // The server fills in what was left out; nothing to undo in that.
      if (kept && as === 'publish') dispatch({ do: 'reset', flow: kept })
      say(
        as === 'draft'
          ? 'The draft is saved. Callers get the published flow as before.'
          : `Version ${answer.live.version} is live.`,
      )
      void queries.invalidateQueries({ queryKey: ['numbers'] })
      void queries.invalidateQueries({ queryKey: ['number', number.id] })
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) {
        const { node, flaw } = flawFromServer(history.present, error.message)
        setRefused({ flow: history.present, node, flaw })
        if (node) setChosen({ kind: 'widget', id: node })
      }
      sayTrouble(error, as === 'draft' ? 'The draft was not saved' : 'The flow was not published')
    }
    setBusy(undefined)
  }

  /** A draft that says what is live is none. */
  async function discard() {
    try {
      const { start, nodes } = live
      const answer = await api.put<StoredFlow>(`/v1/numbers/${number.id}/flow?draft=true`, { start, nodes })
      dispatch({ do: 'reset', flow: live })
      setChosen(undefined)
      queries.setQueryData(['number', number.id, 'flow'], answer)
    } catch (error) {
      sayTrouble(error, 'The draft is still there')
    }
  }

  const restore = (version: ShownVersion) => {
    change(version.flow)
    setLook(undefined)
    setChosen(undefined)
    say(`Version ${version.version} is on the canvas. Publish it to make it live again.`)
  }

  const widget = chosen?.kind === 'widget' ? widgetAt(flow, chosen.id) : undefined
  const chosenId = chosen?.kind === 'widget' ? chosen.id : ''
  const titleAt = (node: string) => {
    const there = widgetAt(flow, node)
    return there ? titleOf(there) : node
  }
  return (
    <Stack gap="xs">
      <Bar
        version={stored.live.version}
        state={look || isPublished ? 'published' : isDirty ? 'changed' : 'draft'}
        toMend={look ? 0 : flawCount}
        mayTest={session.mode === 'sandbox' && isAdmin(session)}
        test={() => {
          setTesting(true)
          setLook(undefined)
        }}
        list={() => setListing(true)}
        drawing={
          readOnly
            ? undefined
            : {
                undo: history.past.length > 0 ? undo : undefined,
                redo: history.future.length > 0 ? redo : undefined,
                tidy: isPlaced(flow) ? () => change(forgetPlaces(flow)) : undefined,
                keep: isDirty ? () => void save('draft') : undefined,
                publish: isPublished || countFlaws(judge(flow)) > 0 ? undefined : () => void save('publish'),
                busy,
              }
        }
      />
      {look && (
        <Alert color="blue" variant="light" p="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              You are looking at version {look.version} of {dateTime(look.at)}.
            </Text>
            <Group gap="xs">
              {!isFixed && isAdmin(session) && (
                <Button size="compact-sm" onClick={() => restore(look)}>
                  Restore this version
                </Button>
              )}
              <Button size="compact-sm" variant="default" onClick={() => setLook(undefined)}>
                Back
              </Button>
            </Group>
          </Group>
        </Alert>
      )}
      {!look && draft && !sameFlow(draft, live) && sameFlow(history.present, draft) && !readOnly && (
        <Alert color="yellow" variant="light" p="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">This is a draft that was left here. Callers get version {stored.live.version}.</Text>
            <Button size="compact-sm" variant="default" onClick={() => void discard()}>
              Discard the draft
            </Button>
          </Group>
        </Alert>
      )}
      {(flaws.get('') ?? []).map((flaw) => (
        <Alert key={flaw} color="red" variant="light" p="xs" role="alert">
          {flaw}
        </Alert>
      ))}
      <Paper withBorder className={classes.frame}>
        <div className={classes.drawing}>
          <Canvas
            key={look?.version ?? 'drawing'}
            flow={flow}
            flaws={look ? noFlaws : flaws}
            names={names}
            chosen={chosen}
            choose={setChosen}
            change={change}
            add={add}
            remove={remove}
            way={way}
            readOnly={readOnly}
          />
        </div>
        <Paper component="aside" aria-label="Panel of the flow" radius={0} className={classes.panel}>
          {isTesting ? (
            <TestCall
              numberId={number.id}
              digits={number.digits}
              names={names}
              titleAt={titleAt}
              isChanged={!isPublished}
              show={setWay}
              close={() => setTesting(false)}
            />
          ) : widget ? (
            <WidgetPanel
              key={chosenId}
              flow={flow}
              id={chosenId}
              widget={widget}
              flaws={flaws.get(chosenId) ?? []}
              names={names}
              readOnly={readOnly}
              change={change}
              addBehind={(slot, type) => add(type, undefined, { id: chosenId, slot })}
              makeStart={() => change({ ...flow, start: chosenId })}
              copy={() => copy(chosenId)}
              remove={() => remove(chosen)}
              close={() => setChosen(undefined)}
            />
          ) : readOnly ? (
            <Text size="sm" c="dimmed" p="md">
              {isFixed
                ? 'A classic number has this fixed flow. Its hours, users and audio are on the other tabs. Choose a widget to see more.'
                : 'Choose a widget to see what it does.'}
            </Text>
          ) : (
            <Palette add={add} />
          )}
        </Paper>
      </Paper>
      <Versions
        numberId={number.id}
        live={stored.live.version}
        opened={isListing}
        close={() => setListing(false)}
        look={(version) => {
          setLook(version)
          setListing(false)
          setTesting(false)
          setChosen(undefined)
        }}
      />
      <Guard isDirty={isDirty && !readOnly} />
    </Stack>
  )
}

const noFlaws: Flaws = new Map()
const isPlaced = (flow: Flow) => Object.values(flow.nodes).some(({ position }) => position)

/** What the server refused is said as long as the drawing is the one it refused. */
function allFlaws(
  flow: Flow,
  refused: { flow: Flow; node: string; flaw: string } | undefined,
  isFixed: boolean,
): Flaws {
  if (isFixed) return noFlaws
  const flaws = judge(flow)
  if (refused?.flow !== flow) return flaws
  return new Map(flaws).set(refused.node, [...(flaws.get(refused.node) ?? []), refused.flaw])
}

/** A new widget belongs behind the chosen one, where that has a branch that leads nowhere. */
function openBranch(flow: Flow, chosen: Chosen): { id: string; slot: string } | undefined {
  if (chosen?.kind !== 'widget') return undefined
  const widget = widgetAt(flow, chosen.id)
  const open = widget && slotsOf(widget).find(({ name }) => targetOf(widget, name) === undefined)
  return open && { id: chosen.id, slot: open.name }
}

/** Only where somebody has placed things by hand; otherwise the layout finds the place. */
function placeBelow(flow: Flow, parent: string | undefined): Point | undefined {
  if (!isPlaced(flow)) return undefined
  const places = placesOf(flow)
  const start = parent === undefined ? undefined : places[parent]
  const lowest = Math.max(0, ...Object.values(places).map(({ y }) => y))
  const wish = start ? { x: start.x, y: start.y + 190 } : { x: 0, y: lowest + 190 }
  const isTaken = ({ x, y }: Point) =>
    Object.values(places).some((place) => Math.abs(place.x - x) < 250 && Math.abs(place.y - y) < 130)
  while (isTaken(wish)) wish.x += 290
  return wish
}
