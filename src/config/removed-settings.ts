import type { SettingReader } from './setting-reader.ts'

const removed = ['AI_AGENT', 'AI_AGENT_KEY']

/** Settings of earlier releases that have no effect any more. */
export const readRemovedSettings = (read: SettingReader): string[] =>
  removed.filter((name) => ![undefined, 'off'].includes(read.text(name)))
