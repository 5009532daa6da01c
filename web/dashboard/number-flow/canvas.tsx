import '@xyflow/react/dist/style.css'
import { useReducedMotion } from '@mantine/hooks'
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type NodeChange,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react'
import { type DragEvent, useEffect, useMemo, useState } from 'react'
import type { WidgetType } from '../../../src/domain/flow/document.ts'
import { useScheme } from '../../kit/ui/scheme.ts'
import { type FlowNames, kinds, summaryOf, widgetTitle } from './catalogue.ts'
import { arrowsOf, type Flow, isPlaced, isWidgetType, type Point, placeWidgets, setBranch } from './flow.ts'
import { layOut } from './layout.ts'
import classes from './node.module.css'
import { WidgetBox, type WidgetNode } from './node.tsx'
import type { CallPath } from './trace.ts'
import type { FlowIssues } from './validate.ts'

/** The selection on the canvas. */
export type Chosen = { kind: 'widget'; id: string } | { kind: 'branch'; from: string; slot: string } | undefined

const nodeTypes = { widget: WidgetBox }
export const dragType = 'application/x-hookswitch-widget'

interface Props {
  flow: Flow
  issues: FlowIssues
  names: FlowNames
  chosen: Chosen
  choose: (chosen: Chosen) => void
  change: (flow: Flow) => void
  add: (type: WidgetType, at: Point) => void
  remove: (chosen: Chosen) => void
  callPath: CallPath | undefined
  readOnly: boolean
}

export function Canvas(props: Props) {
  const { flow, chosen, choose, change, add, remove, callPath, readOnly } = props
  const { scheme } = useScheme()
  const { screenToFlowPosition } = useReactFlow()
  const laid = useMemo(() => placesOf(flow), [flow])
  const [nodes, setNodes] = useWidgetNodes(props, laid)
  const edges = useMemo(() => edgesOf(flow, chosen, callPath), [flow, chosen, callPath])

  useFit(flow, laid)

  const onNodesChange = (changes: NodeChange<WidgetNode>[]) => {
    const moved = changes.filter((one) => one.type === 'position' && one.dragging === false)
    const kept = changes.filter(({ type }) => type === 'position' || type === 'dimensions')
    const next = applyNodeChanges(kept, nodes)
    setNodes(next)
    const chosenNow = changes.find((one) => one.type === 'select' && one.selected)
    if (chosenNow?.type === 'select') choose({ kind: 'widget', id: chosenNow.id })
    if (moved.length === 0 || readOnly) return
    const places = Object.fromEntries(next.map(({ id, position }) => [id, position]))
    const isMoved = next.some(({ id, position }) => distance(position, laid[id]) > 1)
    // Moving one widget by hand fixes the positions of all.
    if (isMoved) change(placeWidgets(flow, places))
  }

  const connect = ({ source, sourceHandle, target }: Connection) => {
    if (sourceHandle && source !== target) change(setBranch(flow, source, sourceHandle, target))
  }

  const drop = (event: DragEvent) => {
    const type = event.dataTransfer.getData(dragType)
    if (!isWidgetType(type) || readOnly) return
    event.preventDefault()
    add(type, screenToFlowPosition({ x: event.clientX - 120, y: event.clientY - 30 }))
  }

  return (
    <ReactFlow<WidgetNode>
      className={classes.canvas ?? ''}
      aria-label="Flow canvas"
      colorMode={scheme}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      onNodesChange={onNodesChange}
      onEdgesChange={(changes) => {
        const edge = changes.find((one) => one.type === 'select' && one.selected)
        const found = edge && 'id' in edge ? edges.find(({ id }) => id === edge.id) : undefined
        if (found) choose({ kind: 'branch', from: found.source, slot: found.sourceHandle ?? '' })
      }}
      onConnect={connect}
      onReconnect={(edge, { source, sourceHandle, target }) => {
        if (!sourceHandle || source === target) return
        const without = setBranch(flow, edge.source, edge.sourceHandle ?? '', undefined)
        change(setBranch(without, source, sourceHandle, target))
      }}
      onPaneClick={() => choose(undefined)}
      onDrop={drop}
      onDragOver={(event) => {
        if (!readOnly && event.dataTransfer.types.includes(dragType)) event.preventDefault()
      }}
      onKeyDown={(event) => {
        const isTyping = event.target instanceof HTMLInputElement
        if (readOnly || isTyping || (event.key !== 'Delete' && event.key !== 'Backspace')) return
        event.preventDefault()
        remove(chosen)
      }}
      deleteKeyCode={null}
      multiSelectionKeyCode={null}
      selectionKeyCode={null}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      edgesReconnectable={!readOnly}
      connectionRadius={40}
      zoomOnDoubleClick={false}
      minZoom={0.2}
      maxZoom={1.5}
      fitView
      fitViewOptions={fit}
      proOptions={{ hideAttribution: true }}
      ariaLabelConfig={{
        'node.a11yDescription.default':
          'Press Enter or Space to select a widget. Arrow keys move it, Delete removes it. Its branches are edited in the panel next to the canvas.',
        'edge.a11yDescription.default': 'Press Enter or Space to select a branch. Delete removes it.',
      }}
    >
      <Background variant={BackgroundVariant.Dots} gap={18} />
      <Controls showInteractive={false} />
      {Object.keys(flow.nodes).length > 8 && <MiniMap pannable zoomable ariaLabel="Overview of the flow" />}
    </ReactFlow>
  )
}

/** The boxes of the widgets; their positions follow the pointer while they are dragged. */
function useWidgetNodes({ flow, issues, names, chosen, callPath, readOnly }: Props, laid: Record<string, Point>) {
  const [nodes, setNodes] = useState<WidgetNode[]>([])

  useEffect(() => {
    setNodes((before) => {
      const known = new Map(before.map((node) => [node.id, node]))
      return Object.entries(flow.nodes).map(([id, widget]) => {
        const mine = issues.get(id) ?? []
        const summary = summaryOf(widget, names)
        return {
          // Keeps the measured size, so that the box does not flicker.
          ...known.get(id),
          id,
          type: 'widget' as const,
          position: laid[id] ?? { x: 0, y: 0 },
          selected: chosen?.kind === 'widget' && chosen.id === id,
          ariaLabel: [widgetTitle(widget), widget.name && kinds[widget.type].label, summary, ...mine]
            .filter(Boolean)
            .join('. '),
          data: { widget, summary, issues: mine, isStart: flow.start === id, visit: visitOf(callPath, id), readOnly },
        }
      })
    })
  }, [flow, issues, names, laid, chosen, callPath, readOnly])

  return [nodes, setNodes] as const
}

/** Fits the view after a new layout or when the flow grows. */
function useFit(flow: Flow, laid: Record<string, Point>) {
  const { fitView } = useReactFlow()
  const isCalm = useReducedMotion()
  const places = Object.values(laid)
  const extent = `${Math.max(...places.map(({ x }) => x))} ${Math.max(...places.map(({ y }) => y))}`
  const isFixed = isPlaced(flow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these two trigger a new fit
  useEffect(() => {
    const timer = setTimeout(() => void fitView({ ...fit, duration: isCalm ? 0 : 250 }), 60)
    return () => clearTimeout(timer)
  }, [isFixed ? '' : extent, isFixed])
}

const fit = { padding: 0.15, maxZoom: 1 }

const distance = (a: Point, b: Point | undefined) => (b ? Math.abs(a.x - b.x) + Math.abs(a.y - b.y) : 2)

/** Stored positions, otherwise the automatic layout. */
export function placesOf(flow: Flow): Record<string, Point> {
  const laid = layOut(flow)
  return Object.fromEntries(
    Object.entries(flow.nodes).map(([id, { position }]) => [id, position ?? laid[id] ?? { x: 0, y: 0 }]),
  )
}

function visitOf(callPath: CallPath | undefined, id: string): WidgetNode['data']['visit'] {
  if (!callPath?.nodes.includes(id)) return 'none'
  return !callPath.isOver && callPath.nodes.at(-1) === id ? 'current' : 'visited'
}

function edgesOf(flow: Flow, chosen: Chosen, callPath: CallPath | undefined): Edge[] {
  return arrowsOf(flow).map(({ from, slot, to }) => {
    const isChosen = chosen?.kind === 'branch' && chosen.from === from && chosen.slot === slot.name
    const isTaken = callPath?.steps.some(
      (step) => step.from === from && step.to === to && (step.slot === undefined || step.slot === slot.name),
    )
    return {
      id: `${from}:${slot.name}`,
      source: from,
      sourceHandle: slot.name,
      target: to,
      type: 'smoothstep',
      selected: isChosen,
      animated: Boolean(isTaken) && !callPath?.isOver,
      className: isTaken ? 'visited' : '',
      markerEnd: {
        type: MarkerType.ArrowClosed,
        markerUnits: 'userSpaceOnUse',
        width: 20,
        height: 20,
        color: isTaken ? 'var(--mantine-color-yellow-6)' : 'var(--xy-edge-stroke)',
      },
      ariaLabel: `${titleOfNode(flow, from)}, ${slot.label}: connects to ${titleOfNode(flow, to)}`,
    }
  })
}

const titleOfNode = (flow: Flow, id: string) => {
  const widget = flow.nodes[id]
  return widget ? widgetTitle(widget) : id
}
