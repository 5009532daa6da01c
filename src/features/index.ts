import type { Route } from '../http/route.ts'
import { callRoutes } from './calls/routes.ts'
import { companyRoutes } from './companies/routes.ts'
import { contactRoutes } from './contacts/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { dialerRoutes } from './dialer/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { numberRoutes } from './numbers/routes.ts'
import { phoneRoutes } from './phones/routes.ts'
import { replayRoutes } from './replays/routes.ts'
import { behaviourRoutes } from './sandbox/behaviour.ts'
import { clockRoutes } from './sandbox/clock.ts'
import { worldRoutes } from './sandbox/routes.ts'
import { tagRoutes } from './tags/routes.ts'
import { teamRoutes } from './teams/routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** The list of all routes: one line per feature. */
export const routes: Route[] = [
  ...companyRoutes,
  ...userRoutes,
  ...phoneRoutes,
  ...teamRoutes,
  ...dialerRoutes,
  ...callRoutes,
  ...numberRoutes,
  ...contactRoutes,
  ...tagRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
]

/** Registered in sandbox mode only. */
export const sandboxRoutes: Route[] = [...clockRoutes, ...worldRoutes, ...behaviourRoutes]
