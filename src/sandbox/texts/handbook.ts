/** Document of the demo AI agent: its passages are suggested to agents during calls about them. */
export const demoHandbook = {
  name: 'Service handbook.md',
  text: `# Error 14: no pump pressure

Error 14 means that the pump builds up no pressure. Switch the coffee machine off, empty the water tank, fill it again and switch it on. If error 14 comes back, book a technician: the pump or its gasket must be replaced.

# Machine is leaking

When a coffee machine is leaking water at the bottom, close the water supply and unplug the machine. In most cases the gasket of the brew group is worn. A technician brings the gasket; customers with a service contract pay nothing for the repair.

# Repairs and technicians

A technician comes within two working days, between eight and twelve or between one and five. With the service contract Plus the repair is free; otherwise the visit costs 95 euros.

# Deliveries of coffee and supplies

Orders of coffee beans, cups and cleaning tablets that arrive before noon are delivered on the next working day. Delivery is free from 80 euros. A missing or damaged delivery is sent again at once; no return is needed.

# Invoices

Invoices are sent on the first of the month. A wrong invoice is cancelled and replaced within two working days; customers need not pay it in the meantime. A copy of an invoice can be sent by e-mail during the call.

# Lease and notice period

A lease runs for 36 months and ends by itself. To end it early, the notice period is three months to the end of a quarter, and the remaining instalments are reduced by one third.

# Cleaning and descaling

Clean the milk system every day with the cleaning tablets. Descale the machine every three months; the display shows when it is due. Never use vinegar: it destroys the gaskets.`,
}
