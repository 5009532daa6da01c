import type { Mood } from '../../domain/intelligence/sentiment.ts'

export interface LeftMessage {
  mood: Mood
  text: string
  /** Action items. */
  next: string[]
}

/** Voicemails of customers, newest first. */
export const leftMessages: LeftMessage[] = [
  {
    mood: 'NEUTRAL',
    text: 'Hello, this is {name} from {company}. I am calling about the maintenance on {day}. Could you please call me back today? I am in the office until five. Thank you.',
    next: ['Call {name} back today before five'],
  },
  {
    mood: 'NEGATIVE',
    text: 'Hi, {name} here. Our {machine} stopped in the middle of breakfast and shows a red light. We have forty guests tomorrow morning, so this is urgent. Please call me as soon as you can.',
    next: ['Call {name} about the red light of the {machine}'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Good morning, I would like to change order {order}. Please make it eight kilos instead of six. It is not urgent, an e-mail is enough. Goodbye.',
    next: ['Change order {order} to eight kilos'],
  },
  {
    mood: 'POSITIVE',
    text: 'Hello, {name} from {company}. I only wanted to say thank you, the technician was here and everything works again. He was very friendly. Have a nice day.',
    next: [],
  },
  {
    mood: 'NEUTRAL',
    text: 'Hello, my name is {name}. A friend recommended you to me. We are looking for a machine for our new office, about twenty people. Please give me a call, I am available after {time}.',
    next: ['Call {name} about a machine for twenty people'],
  },
  {
    mood: 'NEGATIVE',
    text: 'This is {name} again. I still do not have the credit note for {invoice}, and our accountant is asking every day. Please take care of it. Thank you.',
    next: ['Send the credit note for {invoice} to {name}'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Hi, it is {name}. The courier rang, but nobody was at the reception. Can you find out when he comes again? You can reach me on this number.',
    next: ['Ask the courier for a new delivery date'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Good evening, {name} from {company}. I know that you are closed. We would like to rent two machines for a wedding in June. Please send me your prices. Thank you, goodbye.',
    next: ['Send rental prices for two machines to {name}'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Hello, I got a missed call from this number. This is {name}. I will be in meetings until noon, so please try again in the afternoon.',
    next: ['Call {name} in the afternoon'],
  },
  {
    mood: 'NEGATIVE',
    text: 'Hello, {name}. The new grinder is very loud, much louder than the old one, and our guests complain. Is that normal? Please call me back, I am a bit worried.',
    next: ['Call {name} about the loud grinder'],
  },
  {
    mood: 'POSITIVE',
    text: 'Hi, {name} here. I have seen your quote and it looks great, we would like to go ahead. Could you send me the contract? Thanks a lot.',
    next: ['Send the contract to {name}'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Hello, this is {name} from {company}. We have moved the training to {day}. If that does not work for your trainer, let me know. Otherwise no need to call back.',
    next: ['Confirm the training on {day}'],
  },
  {
    mood: 'NEUTRAL',
    text: 'Good afternoon. I am calling for the serial number of our {machine}. The insurance needs it. You can send it by text message to this number.',
    next: ['Send the serial number to {name}'],
  },
  {
    mood: 'NEGATIVE',
    text: 'Yes, hello, {name}. I have tried three times now and always end up here. We need the descaling tablets that were missing in the last parcel. Please ship them, order {order}.',
    next: ['Ship the missing descaling tablets of order {order}'],
  },
]

/** Comments on calls without a recording. */
export const remarks = [
  'Asked for a new invoice, sent by e-mail',
  'Will call again tomorrow after talking to the kitchen',
  'Wants a quote for three machines, lease and purchase',
  'Delivery is late, I called the courier and informed the customer',
  'Solved on the phone, the tank was not in place',
  'Left a message with a colleague at the front desk',
  'Needs the service report as PDF',
  'Interested in the coffee subscription, follow up next month',
  'Wrong number, was looking for the bakery next door',
  'Technician is booked, the entrance is through the yard',
  'Grinder settings explained, sent the guide afterwards',
  'Moved the tasting to next week',
  'Contract extended by one year, same conditions',
  'Asked about opening hours during the holidays',
  'Complained about the waiting time, apologised',
  'New contact person from the first of the month',
  'Order confirmed, delivery with the next tour',
  'Please call back after lunch, prefers mobile',
  'Warranty claim registered, waiting for the photos',
  'Does not need the second machine any more',
  'Agreed on a loan machine until the repair is done',
  'Price question, discount needs approval from Bruno',
]
