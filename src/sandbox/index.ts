import type { Route } from '../http/route.ts'
import { behaviourRoutes } from './behaviour.ts'
import { clockRoutes } from './clock.ts'
import { simulatedMessageRoutes } from './messages.ts'
import { worldRoutes } from './routes.ts'

/** Registered in sandbox mode only. */
export const sandboxRoutes: Route[] = [...clockRoutes, ...worldRoutes, ...behaviourRoutes, ...simulatedMessageRoutes]
