/** Names of the built-in topics, with the words for them in other languages, in the form of `callerWords`. */
export const topicWords: Readonly<Partial<Record<string, Readonly<Record<string, readonly string[]>>>>> = {
  fr: {
    Billing: ['facture*, facturation, paiement*, preleve*, prelevement*, avoir de'],
    Refund: ['rembours*'],
    Delivery: ['livraison*, livre*|livrer, colis, expedi*, transporteur, livreur'],
    Order: ['commande*, achat*'],
    Cancellation: ['annul*, resili*'],
    Appointment: ['rendez vous, reservation*, reporter, deplacer'],
    Callback: ['rappel*|rappeler'],
    Pricing: ['prix, tarif*, devis, remise*, reduction*, combien coute'],
    'Technical problem': ['panne*, erreur*, bug*, casse*, ne marche|fonctionne, plante*'],
    Account: ['mot de passe, compte, identifiant*, connexion, abonnement*'],
  },
  de: {
    Billing: ['rechnung*, zahlung*, abgebucht, abbuchung*, gutschrift'],
    Refund: ['erstattung*, ruckerstattung*, geld _ zuruck, erstatte*'],
    Delivery: ['lieferung*, liefer*, paket*, versand*, zustell*, kurier*'],
    Order: ['bestell*, auftrag*'],
    Cancellation: ['stornier*, kundig*, absagen, abbestell*'],
    Appointment: ['termin*, reservierung*, buchung*'],
    Callback: ['ruckruf*, zuruckrufen, rufe* _ zuruck'],
    Pricing: ['preis*, angebot*, rabatt*, kostenvoranschlag*, was kostet'],
    'Technical problem': ['fehler*, kaputt, defekt*, storung*, ausgefallen, funktioniert _ nicht, sturzt _ ab'],
    Account: ['passwort*, kennwort*, konto*, zugang*, anmelden, abo'],
  },
}

/** How customers speak about the built-in topics: compared by meaning. */
export const topicSentences: Readonly<Record<string, readonly string[]>> = {
  Billing: [
    'There is a mistake on my invoice.',
    'You charged me the wrong amount.',
    'I have a question about my bill.',
  ],
  Refund: ['I want my money back.', 'When do I get my refund?'],
  Delivery: ['My parcel has not arrived.', 'When will my package be delivered?', 'Where is my shipment?'],
  Order: ['I would like to order some products.', 'I want to change my order.'],
  Cancellation: ['I want to cancel my contract.', 'Please terminate my subscription.'],
  Appointment: ['I would like to make an appointment.', 'Can we move my appointment to another day?'],
  Callback: ['Please call me back.', 'Someone promised to call me back.'],
  Pricing: ['How much does it cost?', 'Can you make me an offer?', 'Can I get a discount?'],
  'Technical problem': ['The device is not working.', 'The internet connection is down.', 'The app shows an error.'],
  Account: ['I cannot log in to my account.', 'I forgot my password.'],
}
