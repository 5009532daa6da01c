import type { Db } from './db/database.ts'
import type { Feed } from './events/feed.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { SafeFetch } from './lib/safe-fetch.ts'
import type { Vault } from './lib/secrets.ts'

/** What features are given. Types only: app.ts fills it in. */
export interface Services {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  links: Links
  rules: Rules
  /** The way to addresses that customers give us. */
  outbound: SafeFetch
  /** Says when the event log of a company has grown. */
  feed: Feed
}

/** The bases of every address we hand out, without a slash at the end. */
export interface Links {
  api: string
  dashboard: string
  assets: string
  short: string
}

/** What the operator's settings allow. */
export interface Rules {
  supportContact: string
  sandbox: boolean
  /** http and loopback addresses for receivers: a developer has no certificate for 127.0.0.1. */
  loopbackReceivers: boolean
}
