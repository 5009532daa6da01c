import { mediumUrl } from '../features/messages/messages/links.ts'
import type { Message } from '../features/messages/messages/store.ts'
import type { Services } from '../services.ts'
import type { CarrierTemplateParams, OutgoingMedium, OutgoingMessage } from './carrier.ts'

interface Addresses {
  from: string
  to: string
  phoneNumberId: string | null
}

/** A message to one of its recipients, as carriers take it. */
export function outgoingMessage(services: Services, message: Message, addresses: Addresses): OutgoingMessage {
  const { templateContent } = message
  return {
    // A group message is sent once per recipient.
    id: message.participants === null ? message.id : `${message.id}-${addresses.to.slice(1)}`,
    channel: message.channel,
    ...addresses,
    body: message.body,
    media: message.media.flatMap(({ name, type, file }) =>
      file === null ? [] : [outgoingMedium(services, message, { name, type, file })],
    ),
    template:
      templateContent === null
        ? null
        : {
            name: templateContent.name,
            language: templateContent.language,
            params: (message.templateParams ?? {}) as CarrierTemplateParams,
          },
  }
}

function outgoingMedium(
  { vault, links, files, clock }: Services,
  { companyId, rowId }: Message,
  { name, type, file }: { name: string; type: string; file: string },
): OutgoingMedium {
  return {
    name,
    type,
    url: mediumUrl(vault, links, { companyId, messageRow: rowId, file }, clock.now()),
    read: async () => Buffer.concat(await files.read(file).toArray()),
  }
}
