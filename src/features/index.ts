import type { Route } from '../http/route.ts'
import { companyRoutes } from './companies/routes.ts'
import { contactRoutes } from './contacts/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { numberRoutes } from './numbers/routes.ts'
import { replayRoutes } from './replays/routes.ts'
import { tagRoutes } from './tags/routes.ts'
import { teamRoutes } from './teams/routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** The list of all routes: one line per feature. */
export const routes: Route[] = [
  ...companyRoutes,
  ...userRoutes,
  ...teamRoutes,
  ...numberRoutes,
  ...contactRoutes,
  ...tagRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...eventRoutes,
]
