import type { Db } from '../db/database.ts'

// Line nodes on their own hosts. `beat` counts announcements: hosts compare it with their own earlier reading, so their
// clocks need not agree.

export interface AnnouncedNode {
  id: string
  host: string
  port: number
  release: string
  legs: number
  maxLegs: number
  isDraining: boolean
}

export async function announceNode(db: Db, node: AnnouncedNode, seenAt: number): Promise<void> {
  const { id, host, port, release, legs, maxLegs, isDraining } = node
  const row = {
    host,
    port,
    release,
    legs,
    max_legs: maxLegs,
    draining: isDraining ? (1 as const) : (0 as const),
    seen_at: seenAt,
  }
  await db
    .insertInto('line_node')
    .values({ id, ...row, beat: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ eb, ref }) => ({ ...row, beat: eb(ref('line_node.beat'), '+', 1) })),
    )
    .execute()
}

export async function listAnnouncedNodes(db: Db): Promise<(AnnouncedNode & { beat: number })[]> {
  const rows = await db.selectFrom('line_node').selectAll().orderBy('id').execute()
  return rows.map(({ id, host, port, release, legs, max_legs, draining, beat }) => ({
    ...{ id, host, port, release, legs },
    maxLegs: max_legs,
    isDraining: draining !== 0,
    beat: Number(beat),
  }))
}

export async function withdrawNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom('line_node').where('id', '=', id).execute()
}
