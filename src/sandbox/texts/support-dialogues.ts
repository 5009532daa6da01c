import type { Dialogue } from './dialogue.ts'

export const supportDialogues: Dialogue[] = [
  {
    kind: 'support',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Repair',
    summary:
      '{name} of {company} reports that the steam wand of their {machine} leaks since the last service. {agent} apologised and booked a free technician visit for {day} morning.',
    next: ['Send a technician to {company} on {day} morning', 'Call {name} once the gasket kit is in the van'],
    note: 'Leaking steam wand after our own service. Visit is free of charge.',
    talk: `
A: Good morning, customer service, {agent} speaking. How can I help you?
C: Hello, this is {name} from {company}. Our {machine} was serviced two weeks ago and the steam wand has been leaking ever since. I am quite disappointed.
A: I am sorry to hear that. Let me check the service report. Does it drip all the time, or only after steaming?
C: All the time. We put a cup under it and it is full after half an hour. That is annoying in front of guests.
A: That sounds like the gasket. I will send a technician on {day} morning, and of course you will not be charged for it.
C: Could it be before ten? We are very busy after that.
A: I will book the first slot, between eight and nine. Is there anything else I can do for you?
C: No, just make sure that it is fixed this time.
A: I will call you as soon as the parts are in the van. Thank you for your patience.`,
  },
  {
    kind: 'support',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'Question',
    summary:
      '{name} could not start the descaling programme of the {machine}. {agent} explained the key combination and stayed on the line until the programme was running.',
    next: [],
    note: 'Solved on the phone: descaling was locked because the tank was in the wrong position.',
    talk: `
A: Customer service, {agent} speaking. How can I help you?
C: Hi, it is {name}. The display of our {machine} says descale now, but the programme will not start.
A: Let me walk you through it. Is the water tank filled to the upper mark?
C: Yes, right up to the line.
A: Then lift it out once and push it back until it clicks. The sensor is a bit particular.
C: One moment. Oh, now it clicked.
A: Great. Hold the rinse button for five seconds, until the light turns orange.
C: It is orange, and it is doing something. Wonderful, thank you!
A: It takes about twenty minutes. Please run one tank of clear water afterwards. Is there anything else?
C: No, that was perfect. You have been very helpful.`,
  },
  {
    kind: 'support',
    mood: 'NEUTRAL',
    csat: 4,
    tag: 'Order',
    summary:
      '{name} asked where order {order} is. The parcel was handed to the courier on Monday and should arrive on {day}. {agent} sends the tracking link by e-mail.',
    next: ['Send the tracking link of order {order} to {name}'],
    note: null,
    talk: `
A: Good afternoon, {agent} from customer service. How can I help you?
C: Hello, {name} here. I ordered twelve kilos of the house blend last week, order {order}, and it has not arrived yet.
A: Let me check that for you. It left our warehouse on Monday and is with the courier now.
C: Do you know when it will be here? We have coffee for two more days.
A: The courier says {day}, before {time}. I will send you the tracking link, so that you can follow the parcel.
C: Please use the address of the office, not my private one.
A: I have changed it. You will receive it in a minute. Is there anything else?
C: No, that is all for now. Goodbye.`,
  },
  {
    kind: 'support',
    mood: 'NEGATIVE',
    csat: 1,
    tag: 'Complaint',
    summary:
      'Third call of {name} about the broken grinder at {company}. The replacement promised for last Friday never arrived. {agent} escalated to the workshop and offered a loan machine.',
    next: [
      'Deliver a loan machine to {company} tomorrow',
      'Find out why the replacement grinder was not shipped',
      'Call {name} back before {time}',
    ],
    note: 'Third call about the same grinder. Please treat as urgent and keep me informed.',
    talk: `
A: Customer service, {agent} speaking.
C: This is {name} from {company}, and I am really frustrated. This is the third time I call about the same broken grinder.
A: I am sorry. I can see your two earlier calls. The replacement should have reached you last Friday.
C: It should, but nothing came, and nobody called. We are a café without coffee, this is ridiculous.
A: You are right, that is not acceptable. I will ask the workshop right now and call you back before {time}.
C: I was told that last time as well.
A: I understand. So I will do one more thing: we deliver a loan machine tomorrow morning, whatever the workshop says.
C: At no cost?
A: At no cost. I will confirm it by e-mail in the next ten minutes.
C: All right. But if nothing happens tomorrow, I want my money back.`,
  },
  {
    kind: 'support',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'Repair',
    summary:
      '{name} wants to move the yearly maintenance of the {machine}. {agent} offered two dates; the visit is now on {day} at {time}.',
    next: ['Update the maintenance visit of {company} to {day}, {time}'],
    note: 'Maintenance moved. The kitchen entrance is at the back of the building.',
    talk: `
A: Good morning, customer service, {agent} speaking. How can I help you?
C: Good morning, {name} from {company}. We have a maintenance appointment next week, but there is an event in the house. Could you change it?
A: Of course. What would suit you better, {day} at {time}, or the week after?
C: {day} is lovely. Please tell the technician to use the kitchen entrance at the back.
A: I will update the visit and write that into the order. How is the {machine} doing?
C: Great, actually. The guests love it. The milk is much better than with the old one.
A: I am glad to hear that. Is there anything else I can do for you?
C: No, thank you, that was quick!`,
  },
  {
    kind: 'support',
    mood: 'NEUTRAL',
    csat: 3,
    tag: 'Question',
    summary:
      '{name} asked which water filter fits the {machine} and whether it can be installed without a technician. {agent} sends the part number and the guide.',
    next: ['Send the filter guide and part number to {name}'],
    note: null,
    talk: `
A: {agent} from customer service, hello.
C: Hello, I have a question about the {machine}. Which water filter do we need? The old box is gone.
A: Do you have a direct water connection, or do you fill the tank?
C: Direct connection, and the water here is hard.
A: Then you need the large cartridge with the blue ring. One lasts about four months with your volume.
C: Can we change it ourselves, or does somebody have to come?
A: You can do it yourself in five minutes. I will send you the guide and the part number.
C: Please send it to the address of the shift manager, I will text it to you.
A: That works. Have a good day.`,
  },
  {
    kind: 'support',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Complaint',
    summary:
      'The delivery for {company} arrived with two damaged bags of coffee. {name} sent pictures. {agent} ships replacements today, without a return.',
    next: ['Ship two replacement bags for order {order} today', 'Report the damage to the courier'],
    note: 'Damaged parcel, pictures are in the mailbox. Courier case to be opened.',
    talk: `
A: Customer service, {agent} speaking. How can I help you?
C: Hello, {name}. Your parcel came this morning and two of the bags are torn. There is coffee all over the box.
A: Oh no, I am sorry about that. Was the box itself damaged as well?
C: Yes, one corner was crushed. Honestly, the packaging is very poor for something this heavy.
A: Thank you for telling me. Did you take a picture?
C: I did, I sent three of them to your support address.
A: I see them. You do not have to return anything. We will send two new bags today, order {order}.
C: Fine. But please pack them better.
A: I will ask the warehouse to use the double box. Is there anything else?
C: No.`,
  },
  {
    kind: 'support',
    mood: 'NEUTRAL',
    csat: 4,
    tag: 'Follow up',
    summary:
      'The {machine} at {company} shows error 14 in the mornings. {agent} suspects the pressure sensor and asked for a photo of the display before sending a technician.',
    next: ['Look at the picture of error 14 from {name}', 'Call {name} on {day} with the result'],
    note: 'Error 14 after a cold start only. Could be the pressure sensor, see service bulletin.',
    talk: `
A: Good morning, {agent} speaking. How can I help you?
C: Morning, {name} from {company}. The {machine} shows error 14 when we switch it on. After the second try it works.
A: Every morning, or only now and then?
C: Every morning this week. It is cold in here at six, maybe that has something to do with it.
A: It might. Let me check. Error 14 is the pressure sensor, and it can be sensitive below ten degrees.
C: So what do we do?
A: Could you send me a picture of the display tomorrow, with the service menu open? Then I know which part to order.
C: Sure, I can do that.
A: I will look at it and call you on {day}. Until then, you can keep using the machine.
C: Good, talk to you then.`,
  },
  {
    kind: 'support',
    mood: 'POSITIVE',
    csat: 5,
    tag: 'Order',
    summary:
      '{name} added two boxes of cups and a cleaning kit to order {order} before it was packed. No extra shipping cost.',
    next: ['Add two boxes of cups and a cleaning kit to order {order}'],
    note: null,
    talk: `
A: Customer service, {agent} speaking. How can I help you?
C: Hi {agent}, it is {name} again. I placed an order an hour ago and forgot the paper cups. Is it too late?
A: Let me check. Order {order} has not been packed yet, so you are lucky.
C: Excellent! Then please add two boxes of the small cups, and one cleaning kit.
A: Done. There is no extra shipping, it all fits into one parcel.
C: That is very kind, thank you.
A: You are welcome. You will get a new confirmation by e-mail. Is there anything else?
C: No, that saves my week. Have a nice day!`,
  },
  {
    kind: 'support',
    mood: 'NEUTRAL',
    csat: 3,
    tag: 'Repair',
    summary:
      '{name} asked when the repaired {machine} will be back. The workshop waits for a pump, due on {day}. {agent} calls as soon as it has passed the test.',
    next: ['Call {name} when the repair has passed the test', 'Ask the workshop for a loan pump'],
    note: 'Waiting for the pump. Customer has a spare machine until then.',
    talk: `
A: Good afternoon, customer service, {agent} speaking.
C: Hello, {name} from {company}. We gave you our {machine} for repair ten days ago. How is it going?
A: Let me check with the workshop. They have found the fault, it is the pump, and the new one arrives on {day}.
C: So when can we have it back?
A: It takes one more day for the pressure test. I will call you as soon as it has passed.
C: We have the old one as a spare, so it is not dramatic. But next week the terrace opens.
A: Understood, I will write that on the job. And I will ask if we can use a pump from stock.
C: That would be good. Thanks.`,
  },
  {
    kind: 'support',
    mood: 'POSITIVE',
    csat: 4,
    tag: 'Question',
    summary:
      '{name} could not sign in to the customer portal. {agent} sent a new link; the account of a former colleague was removed.',
    next: ['Remove the portal account of the former office manager of {company}'],
    note: 'New contact person at {company}, portal access is updated.',
    talk: `
A: {agent}, customer service. How can I help you?
C: Hello, my name is {name}, I have just taken over the kitchen at {company}. I cannot log in to your portal.
A: Welcome! Let me see. The account still belongs to your predecessor.
C: Yes, she left at the end of last month.
A: Then I will remove it and send you a link of your own. Which e-mail address may I use?
C: The one with my first and last name, you have it from the last order.
A: The link is on its way. Please choose a new password with it.
C: I have it, and it works. That was easy, thank you.
A: I am happy it worked. Is there anything else?
C: No, I am good.`,
  },
  {
    kind: 'support',
    mood: 'NEGATIVE',
    csat: 2,
    tag: 'Follow up',
    summary:
      'The technician did not come to {company} at the agreed time. {agent} found out that he was delayed and arranged that he arrives before {time}.',
    next: ['Confirm to {name} that the technician has arrived', 'Send a voucher to {company}'],
    note: 'Missed appointment. Goodwill voucher of 50 agreed with Chiara.',
    talk: `
A: Customer service, {agent} speaking. How can I help you?
C: Hello, {name}. Your technician was supposed to be here at nine. It is almost eleven and I closed the bar for him.
A: I am very sorry, that must not happen. Let me call him on the other line. Please stay with me for a moment.
C: I have been waiting all morning, but go ahead.
A: He is stuck at a hotel with a burst pipe. He can be with you before {time}.
C: A message would have been enough. This is the worst timing, we have a group at noon.
A: You are right, we should have called you. I will send you a voucher for the trouble.
C: Well. Just make sure that he really comes.
A: I will call you to confirm that he is on his way.`,
  },
]
