import { notFound } from '../../../http/errors.ts'
import type { Page } from '../../../http/server.ts'
import type { Services } from '../../../services.ts'
import { changeSubscription } from './actions.ts'
import { subscriptionIn } from './links.ts'

/**
 * RFC 8058: a mail client unsubscribes its user with a POST request to the link of the e-mail. The same URL opened in a
 * browser is a page of the dashboard, which asks first.
 */
export const oneClickUnsubscribe =
  (services: Services): Page =>
  (server) => {
    server.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      // The body is always `List-Unsubscribe=One-Click`; the token alone decides.
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_384 }, (_request, _body, done) =>
        done(null, null),
      )
      scope.post<{ Params: { token: string } }>('/unsubscribe/:token', async (request, reply) => {
        const subscription = subscriptionIn(services.vault, request.params.token)
        if (!subscription) throw notFound()
        const { companyId, recipientId } = subscription
        await changeSubscription(services, companyId, recipientId, { subscribed: false, address: request.ip })
        return reply.code(200).type('text/plain; charset=utf-8').send('You are unsubscribed.\n')
      })
    })
  }
