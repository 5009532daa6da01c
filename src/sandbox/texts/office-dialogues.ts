import type { Dialogue } from './dialogue.ts'

/** Billing, sales and outbound calls. */
export const officeDialogues: Dialogue[] = [
  {
    kind: 'billing',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Invoice',
    summary:
      '{company} was charged twice for the same filter set on invoice {invoice}. {agent} cancels the second position and sends a credit note.',
    next: ['Send a credit note for invoice {invoice} to {company}'],
    note: 'Filter set billed twice. Credit note requested from accounting.',
    talk: `
A: Billing, {agent} speaking. How can I help you?
C: Hello, this is {name} from {company}. I have invoice {invoice} in front of me and it is wrong. We were charged twice for the same filter set.
A: Let me check. You are right, positions three and five are the same. I am sorry about that mistake.
C: It is the second time this year. I am a bit annoyed, because I have to explain it to our accountant.
A: I understand. I will send you a credit note today, and you only pay the remaining amount.
C: Please put my name on it, otherwise it gets lost here.
A: I will. Is there anything else on the invoice that looks odd?
C: No, the rest is fine.`,
  },
  {
    kind: 'billing',
    mood: 'NEUTRAL',
    csat: 4,
    tag: 'Invoice',
    summary:
      '{name} asked for a copy of invoice {invoice} with the new billing address of {company}. {agent} updated the account and sends the corrected invoice.',
    next: ['Send invoice {invoice} with the new address to {name}'],
    note: null,
    talk: `
A: Good morning, billing, {agent} speaking. How can I help you?
C: Hello, {name}, {company}. We moved in spring and the invoice still has the old address. Our bank does not accept it.
A: No problem, I can change that. What is the new address?
C: Same city, Harbour Street 12. The postcode is the same as well.
A: Let me repeat: Harbour Street 12. I will send you invoice {invoice} again, and the account is updated for all future ones.
C: Could you send it to our accounting as well?
A: I will send it to both addresses. Is there anything else?
C: That is all.`,
  },
  {
    kind: 'billing',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'Question',
    summary:
      '{name} wants to pay the lease of the {machine} quarterly. {agent} changed the payment plan from the next month on.',
    next: ['Change the payment plan of {company} to quarterly'],
    note: 'Quarterly payment from next month on. Confirmation sent.',
    talk: `
A: Billing, {agent} speaking. How can I help you?
C: Hi, {name} from {company}. We lease a {machine} from you and pay every month. Can we change that to once a quarter?
A: Yes, that is possible. You even save the booking fee.
C: Nice, I did not expect that.
A: I will change the plan from next month on. The first quarterly payment is on the third.
C: Great. Do I have to sign anything?
A: A short confirmation by e-mail is enough. I will send it to you now. Is there anything else?
C: No, thank you, that was easy.`,
  },
  {
    kind: 'billing',
    mood: 'NEUTRAL',
    csat: 3,
    tag: 'Invoice',
    summary:
      '{company} received a payment reminder although the invoice was paid last week. The payment had no reference; {agent} matched it and stopped the reminder.',
    next: ['Stop the reminder for invoice {invoice}'],
    note: 'Payment came without a reference. Matched by hand.',
    talk: `
A: {agent} from billing, good afternoon.
C: Good afternoon. We have received a reminder for {invoice}, but we paid it last week.
A: Let me look. Could you give me the date of the transfer?
C: It was last Tuesday, the full amount.
A: I see it. The payment has no invoice number on it, so the system did not match it.
C: Ah, that was probably my colleague.
A: It is not a problem. I will match it and stop the reminder. You can throw the letter away.
C: Good. Thanks for checking.
A: Is there anything else I can do for you?
C: No, bye.`,
  },
  {
    kind: 'billing',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Complaint',
    summary:
      '{name} complained about the price increase of the service contract and considers cancelling. {agent} arranged a call with the account manager on {day}.',
    next: ['Prepare the contract figures of {company} for {day}', 'Call {name} on {day} at {time}'],
    note: 'Risk of cancellation! Ada should join the call.',
    talk: `
A: Billing, {agent} speaking. How can I help you?
C: This is {name} from {company}. I have just seen the new price of the service contract. Twelve percent more is outrageous.
A: I understand that this is unpleasant. The increase covers the parts, which have become more expensive.
C: That is not my problem. If it stays like that, we cancel the contract at the end of the year.
A: I would be sorry to lose you. May I ask our account manager to call you? There is a smaller contract without the weekend service.
C: We do not need the weekend, nobody is here.
A: Then that could be a good fit. I will prepare the figures, and she will call you on {day} at {time}.
C: All right. But I want a clear offer, not a sales talk.`,
  },
  {
    kind: 'sales',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'New customer',
    summary:
      '{company} opens a second location and needs two machines. {agent} recommended the {machine} and sends a quote for purchase and lease.',
    next: ['Send a quote for two {machine} to {name}', 'Schedule a tasting at the showroom on {day}'],
    note: 'Second location opens in spring. Budget is approved, decision within two weeks.',
    talk: `
A: Sales, {agent} speaking. Thank you for calling. What are you looking for?
C: Hello, I am {name} of {company}. We open a second place in spring and need two espresso machines.
A: Congratulations! How many cups do you expect on a busy day?
C: About two hundred, most of them before ten in the morning.
A: Then I would look at the {machine}. It has two boilers, so the milk does not slow you down. What is your budget?
C: Around fifteen thousand for both, or a lease if it makes sense.
A: I will send you a quote with both options. Would you like to try the machine first?
C: Yes, that would be amazing. {day} is a good day for us.
A: I will book the showroom for {day} at {time}. Bring your barista along.
C: Perfect, we look forward to it!`,
  },
  {
    kind: 'sales',
    mood: 'NEUTRAL',
    csat: 4,
    tag: 'New customer',
    summary:
      '{name} compares leasing and buying a {machine} for an office with forty people. {agent} explained the service package and sends prices by e-mail.',
    next: ['Send the lease and purchase prices of the {machine} to {name}', 'Follow up with {company} next week'],
    note: 'Office with forty people. Compares us with two other suppliers.',
    talk: `
A: Good morning, sales, {agent} speaking. What are you looking for?
C: Good morning. We are forty people in the office and the old machine is dying. I would like to know what a lease costs.
A: Gladly. For forty people I would suggest the {machine}. The lease starts at 119 a month, with maintenance.
C: And if we buy it?
A: Then it is 4,800, and maintenance is separate. Most offices choose the lease because of the service.
C: What happens when it breaks down?
A: A technician comes within one working day, and you get a loan machine if it takes longer.
C: I see. Please send me both prices, I have to show them to my boss.
A: I will send them within the hour. Shall I call you next week to see what she thinks?
C: Yes, after Tuesday.`,
  },
  {
    kind: 'sales',
    mood: 'POSITIVE',
    csat: 4,
    tag: 'Order',
    summary:
      '{name} ordered a monthly coffee subscription for {company}: ten kilos of the house blend and two of decaf, starting on {day}.',
    next: ['Set up the coffee subscription of {company}, first delivery on {day}'],
    note: 'Subscription: 10 kg house blend, 2 kg decaf, monthly.',
    talk: `
A: Sales, {agent} speaking. How can I help you?
C: Hi, {name} from {company}. We order coffee every month anyway. Do you have something like a subscription?
A: We do. You choose the amount, we deliver on the same day each month, and you save eight percent.
C: Great. Then ten kilos of the house blend, and two kilos of decaf.
A: Whole beans, as usual?
C: Yes, whole beans. And can I pause it in summer?
A: Of course, at any time, in the portal or by phone. The first delivery would be on {day}.
C: That is good, we have enough until then. Thanks!
A: I will send you the confirmation. Is there anything else I can do for you?
C: No, that is it.`,
  },
  {
    kind: 'sales',
    mood: 'NEUTRAL',
    csat: 3,
    tag: 'Question',
    summary:
      '{name} asked whether the {machine} can be rented for a trade fair of three days. {agent} checks the availability and sends an offer.',
    next: ['Check if a {machine} is free for the trade fair', 'Send a rental offer to {name}'],
    note: null,
    talk: `
A: Sales, {agent} speaking. What are you looking for?
C: Hello, we have a booth at a trade fair and would like to offer coffee. Do you rent machines for three days?
A: Yes, we do that. Is there water at the booth, or only electricity?
C: Only electricity, I am afraid.
A: Then the {machine} with the large tank would fit. A barista can come with it, if you like.
C: How much would that be? Only the machine, for now.
A: About 390 with transport and beans for three hundred cups. Let me check if one is free on those days.
C: Please send me an offer to {company}, then I can ask for approval.
A: I will send it this afternoon.
C: Good, thank you.`,
  },
  {
    kind: 'sales',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Follow up',
    summary:
      '{name} has been waiting for a promised quote for a week. {agent} found the draft, corrected the number of machines and sends it today.',
    next: ['Send the corrected quote to {name} today'],
    note: 'Quote was stuck as a draft. Sent with 5 % discount for the delay.',
    talk: `
A: Good afternoon, sales, {agent} speaking.
C: Hello, {name}, {company}. I was promised a quote last week. So far nothing has arrived, and I am a little disappointed.
A: I am sorry. Let me look for it. It is here, as a draft, so it was never sent. That is our fault.
C: I have a meeting this afternoon and I look like a fool without it.
A: I will send it within ten minutes. It is for one {machine}, correct?
C: No, for three. That is wrong as well.
A: I will correct it right away, and you get five percent off for the trouble.
C: All right, that is fair.`,
  },
  {
    kind: 'outbound',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'Follow up',
    summary:
      '{agent} called {name} two weeks after the installation of the {machine}. Everything works; {company} would like a short training for new staff.',
    next: ['Schedule a barista training at {company} on {day}'],
    note: 'Happy customer, would be a good reference.',
    talk: `
A: Hello, this is {agent}. You got your new {machine} two weeks ago, and I wanted to ask how it is going.
C: Oh, how nice of you to call. It is going very well, the coffee is excellent.
A: I am glad to hear that. Is there anything that could be better?
C: Two of our new people are a bit afraid of the steam wand. Do you offer a training?
A: We do, it takes two hours. Would {day} at {time} work for you?
C: {day} is fine. There will be four of us.
A: Then I will book it and send you an invitation.
C: Thank you, we appreciate it.`,
  },
  {
    kind: 'outbound',
    mood: 'NEUTRAL',
    csat: 4,
    tag: 'Follow up',
    summary:
      '{agent} returned the missed call of {name}, who needs an offer for a service contract. The current contract ends next month.',
    next: ['Send a service contract offer to {company}'],
    note: null,
    talk: `
A: Hello, this is {agent} from customer service. You tried to reach us this morning.
C: Yes, thanks for calling back. Our service contract with another company ends next month.
A: And you would like an offer from us. How many machines do you have?
C: Three in total, two of them are yours. One is ten years old.
A: The old one is no problem, as long as we can get the parts. Let me ask for the serial numbers.
C: I do not have them here. Can I send them to you?
A: Please do. I will send you an offer as soon as I have them.
C: Good, you will have them tonight.`,
  },
  {
    kind: 'outbound',
    mood: 'NEUTRAL',
    csat: 3,
    tag: 'Invoice',
    summary:
      '{agent} reminded {company} of the open invoice {invoice}. {name} had not received it; it is sent again and will be paid on {day}.',
    next: ['Send invoice {invoice} again to {name}'],
    note: 'Promised to pay on {day}.',
    talk: `
A: Good morning, {agent} from billing. I am calling about invoice {invoice}, which is still open.
C: Let me see. I do not think that we have received it.
A: It was sent on the second of the month. Shall I send it again?
C: Yes, please send it to me directly. We had some trouble with the shared mailbox.
A: It is on its way now.
C: I have it. I will pay it on {day}, together with the others.
A: Wonderful. Have a good week.
C: You too.`,
  },
  {
    kind: 'outbound',
    mood: 'POSITIVE',
    csat: 4,
    tag: 'Order',
    summary:
      '{agent} told {name} that the back-ordered grinder is in stock again. {company} confirmed the order; delivery is on {day}.',
    next: ['Deliver the grinder of order {order} to {company} on {day}'],
    note: 'Wants to be called half an hour before the delivery.',
    talk: `
A: Hello, {agent} speaking. I have good news: the grinder you ordered is in stock again.
C: Finally! I almost gave up on it.
A: I know, it took three weeks longer than planned. Do you still want order {order} as it is?
C: Yes, please. When can you deliver it?
A: On {day}, around {time}. The driver can call you half an hour before.
C: That would be very helpful, thank you.
A: I will arrange that. Is there anything else you need?
C: No, I am just happy that it is coming.`,
  },
]
