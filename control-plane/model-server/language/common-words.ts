// The commonest words of prompts in six languages, each row for one English word. Written for this project.
// A star stands for any ending, a low line for a space; accents and capitals do not count.

export const LANGUAGES = ["de", "fr", "es", "it", "pt", "nl"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Words that stand in every text: by them its language is recognised. */
export const FUNCTION_WORDS = `
I | ich | je j | yo | io | eu | ik
me | mir mich | me moi m | me mi | mi me | me mim | me mij
you | du sie dich ihnen ihr euch | tu vous te toi | tu usted ustedes te vosotros | tu lei voi ti | voce voces tu te | je jij u jullie
we | wir uns | nous on | nosotros nos | noi ci | nos | we wij ons
it | es | il ce ca cela ceci | lo ello eso esto | lo cio esso | isso isto ele | het
my | mein meine meinen meinem meiner meines | mon ma mes | mi mis | mio mia miei mie | meu minha meus minhas | mijn
your | dein deine deinen deiner euer eure ihre | ton ta tes votre vos | tu tus su sus | tuo tua suo sua | seu sua teu tua | jouw uw
our | unser unsere unseren | notre nos | nuestro nuestra nuestros | nostro nostra nostri | nosso nossa nossos | onze
the | der die das den dem des | le la les l | el la los las | il lo la i gli le l | o os as | de het
a | ein eine einen einem einer eines | un une | un una unos | un uno una | um uma uns | een
and | und | et | y e | e ed | e | en
or | oder | ou | o u | o oppure | ou | of
not | nicht kein keine keinen | ne pas n | no | non | nao | niet geen
is | ist sind sein | est sont etre | es son esta estan ser | e sono essere sta | esta sao ser estao | is zijn
was | war waren wurde wurden | etait etaient | era fue eran | era fu erano | foi era eram | was waren
will be | wird werden werde | sera seront fera feront | sera seran hara haran | sara saranno fara faranno | sera serao | wordt worden zal zullen
have | habe hat haben hast | ai as avons avez ont avoir | he has ha hemos han tengo tiene tienes tener | ho hai ha abbiamo avete hanno avere | tenho tem temos tens ter | heb heeft hebben
can | kann konnen konnt konnten konntest kannst konnte | peux peut peuvent pouvez pouvons peut-on pourriez pourrais | puedo puede puedes podemos pueden podria podrias | posso puo puoi possiamo potete potrei puoi | posso pode podes podemos podem poderia | kan kun kunt kunnen kunt
want | will willst wollen mochte mochten wurde_gern hatte_gern hatten_gern | veux voudrais voulez voulons aimerais souhaite souhaiterais | quiero quisiera quiere queremos querria gustaria | voglio vorrei vuoi vogliamo vorremmo | quero queria gostaria quer queremos | wil wilt willen zou_graag graag
need | brauche brauchen benotige benotigen brauchst | besoin_d besoin_de faut | necesito necesita necesitamos | serve bisogno_di ho_bisogno | preciso precisa precisamos preciso_de | nodig
must | muss mussen soll sollte sollen | dois doit devons devez | debo debe tengo_que hay_que | devo deve dobbiamo | devo deve tenho_que | moet moeten
please | bitte | s'il_vous_plait s'il_te_plait svp merci_de veuillez | por_favor | per_favore per_piacere prego | por_favor faz_favor | alstublieft alsjeblieft graag
for | fur | pour | para por | per | para por | voor
to | zu zum zur nach | vers | a al hacia | verso | a ao aos as para | naar te tot
in | im in ins | dans en a au aux | en | in nel nella nello nei a al alla alle ai | em no na nos nas | in
on | am auf an | sur | sobre el | su sul sulla | sobre em no_dia no na | op aan
at | um bei beim | chez | en | da presso | em | om bij
from | von vom aus ab | de d du des depuis | de del desde | da dal dalla di del della | de do da dos das desde | van vanaf uit
with | mit | avec | con | con col | com | met
without | ohne | sans | sin | senza | sem | zonder
of | von | de du des d | de del | di del della dei delle | de do da | van
until | bis | jusque jusqu'a jusqu | hasta | fino | ate | tot
about | uber | sur au_sujet_de | sobre acerca_de | su riguardo | sobre | over
this | dieser diese dieses diesen diesem | ce cet cette ces | este esta estos estas | questo questa quest questi queste | este esta neste nesta deste desta | deze dit
that | dass jener jene | que qui | que aquel aquella | che quello quella | que aquele aquela | dat die
there | dort da es_gibt | la y il_y_a | alli hay ahi | li ci c'e | ha la ai | er daar
here | hier | ici | aqui | qui | aqui | hier
also | auch | aussi | tambien | anche | tambem | ook
still | noch | encore | todavia aun | ancora | ainda | nog
again | wieder erneut nochmal nochmals | a_nouveau de_nouveau | otra_vez de_nuevo | di_nuovo ancora_una_volta | de_novo novamente outra_vez | opnieuw weer
now | jetzt nun | maintenant | ahora | adesso ora | agora | nu
if | wenn falls ob | si | si | se | se | als indien
but | aber | mais | pero | ma pero | mas | maar
how | wie | comment | como | come | como | hoe
explain to me how works | wie_funktioniert wie_funktionieren | comment_fonctionne comment_fonctionnent comment_marche | como_funciona como_funcionan | come_funziona come_funzionano | como_funciona como_funcionam | hoe_werkt hoe_werken
what is | was_ist was_sind | qu'est-ce_qu'un qu'est-ce_qu'une qu'est-ce_qu'est c'est_quoi | que_es que_son | che_cos'e cos'e che_cosa_e | o_que_e o_que_sao | wat_is wat_zijn
how many | wie_viele | combien_de combien_d | cuantos cuantas | quanti quante | quantos quantas | hoeveel
how much | wie_viel wieviel | combien combien_font combien_fait | cuanto cuanta cuanto_son | quanto quanta quanto_sono | quanto quanta quanto_sao | hoeveel_is hoeveel_kost
what | was welch | que quoi qu'est-ce_que qu'est-ce | que lo_que | che cosa che_cosa | o_que que | wat
what will the weather be like | wie_wird_das_wetter wie_ist_das_wetter | quel_temps_fera-t-il quel_temps_fait-il quel_temps_fera quel_temps_fait quel_temps | que_tiempo_hara que_tiempo_hace que_tiempo | che_tempo_fara che_tempo_fa che_tempo | como_vai_estar_o_tempo como_esta_o_tempo que_tempo | wat_voor_weer_wordt_het wat_voor_weer
which | welche welcher welches welchen | quel quelle quels quelles | cual cuales que | quale quali | qual quais | welke welk
who | wer wem wen | qui | quien quienes | chi | quem | wie
when | wann | quand | cuando | quando | quando | wanneer
where | wo wohin woher | ou | donde adonde | dove dov | onde | waar waarheen
why | warum wieso weshalb | pourquoi | por_que | perche | por_que porque | waarom
there is left | bleibt bleiben ubrig verbleiben verbleibt | reste reste-t-il restent | queda quedan me_queda me_quedan | resta restano rimane rimangono mi_restano | resta restam sobra sobram | er_over over_is
next | nachste nachsten nachster kommende kommenden | prochain prochaine prochains prochaines | proximo proxima proximos proximas | prossimo prossima prossimi prossime | proximo proxima proximos proximas | volgende komende
`;

/** Other words. */
export const CONTENT_WORDS = `
reserve | reservier* buch* vorbestell* | reserv* | reserv* | prenot* | reserv* marca_uma_mesa | reserveer* reserver* boek*
table | tisch* | table* | mesa* | tavol* | mesa* | tafel*
restaurant | restaurant* gaststatte* | restaurant* | restaurante* | ristorant* | restaurante* | restaurant*
people | personen person leute gaste | personne* gens convives | persona* gente comensales | person* ospiti coperti | pessoa* lugares | persone* mensen gasten
dinner | abendessen | diner souper | cena cenar | cena | jantar | diner avondeten
lunch | mittagessen | dejeuner | almuerzo comida almorzar | pranzo | almoco | lunch
breakfast | fruhstuck | petit_dejeuner petit-dejeuner | desayuno | colazione | pequeno-almoco cafe_da_manha | ontbijt
hotel | hotel* | hotel* | hotel* | hotel albergo alberghi | hotel hoteis | hotel*
room | zimmer raum | chambre* salle* | habitacion* sala* cuarto | camera camere stanza sala | quarto sala | kamer* zaal
night | nacht nachte | nuit* | noche* | notte notti | noite* | nacht* nachten
weather | wetter | meteo | clima tiempo | meteo tempo | clima tempo | weer
weather forecast | wettervorhersage* wetterbericht* | prevision*_meteo previsions_meteo prevision_meteo | pronostico_del_tiempo prevision_del_tiempo pronostico | previsioni_del_tempo previsioni_meteo previsioni | previsao_do_tempo previsao | weersverwachting* weerbericht*
umbrella | regenschirm* schirm | parapluie* | paraguas | ombrello ombrelli | guarda-chuva guarda-chuvas chapeu_de_chuva | paraplu*
rain | regen regnen regnet | pluie pleuvoir pleut pleuvra | lluvia llover llueve llovera | pioggia piovere piove piovera | chuva chover chove chovera | regen regent regenen
snow | schnee schneien schneit | neige neiger | nieve nevar | neve nevicare | neve nevar | sneeuw sneeuwen
sunny | sonnig sonne | soleil ensoleille | sol soleado | sole soleggiato | sol ensolarado | zon zonnig
temperature | temperatur* | temperature* | temperatura* | temperatura temperature | temperatura* | temperatuur*
warm | warm heiss | chaud chaude | calor caluroso | caldo | quente calor | warm heet
cold | kalt | froid froide | frio fria | freddo fredda | frio fria | koud
convert | umrechn* umwandel* wechsel* konvertier* rechne | convert* chang* | convert* convier* cambi* | convert* cambi* | convert* troc* cambi* | omreken* wissel* converteer* reken
currency | wahrung* | devise* monnaie* | moneda* divisa* | valuta valute moneta | moeda* | valuta munt
money | geld | argent | dinero | soldi denaro | dinheiro | geld
euros | euro euros | euro euros | euro euros | euro | euro euros | euro euro's
dollars | dollar dollars | dollar dollars | dolar dolares | dollaro dollari | dolar dolares | dollar dollars
pounds | pfund | livre livres livres_sterling | libra libras libras_esterlinas | sterlina sterline | libra libras libras_esterlinas | pond
francs | franken | franc francs | franco francos | franco franchi | franco francos | frank
exchange rate | wechselkurs* kurs | taux_de_change | tipo_de_cambio tasa_de_cambio | tasso_di_cambio cambio | taxa_de_cambio cambio | wisselkoers*
appointment | termin termine | rendez-vous rendezvous rdv | cita citas | appuntamento appuntamenti | compromisso compromissos consulta | afspraak afspraken
meeting | besprechung* sitzung* treffen meeting konferenz | reunion* | reunion* | riunione riunioni | reuniao reunioes | vergadering* bespreking* overleg
calendar | kalender* | calendrier agenda | calendario agenda | calendario agenda | calendario agenda | kalender* agenda
event | veranstaltung* ereignis* | evenement* | evento* | evento eventi | evento* | evenement* gebeurtenis*
create | erstell* anleg* erzeug* leg* | cree* creer creez | crea crear cree creen | crea creare | cria criar crie | maak maken aanmaken creeer*
schedule | plane planen trag eintragen vereinbar* ansetzen | planifi* fixe fixer fixez organis* | programa programar agenda_una agendar | fissa fissare programma programmare pianifica pianificare | marca marcar agendar agende marque | plan plannen inplannen
cancel | storniere* absag* loschen kundig* stornieren | annul* | cancel* anul* | annull* cancell* disdire | cancel* anul* | annuleer* afzeggen annuleren
change | ander* andern verschieb* | modifi* | cambia cambiar modific* | cambia modific* | muda mudar alter* | wijzig* verander* verplaats*
reminder | erinnerung erinner* erinnere | rappel rappell* | recordatorio recuerd* | promemoria ricorda* | lembrete lembr* | herinnering herinner*
alarm | wecker alarm | alarme reveil | alarma despertador | sveglia allarme | alarme despertador | wekker alarm
order | bestellung* auftrag* | commande* | pedido* orden_de_compra encargo | ordine ordini ordinazione | encomenda* pedido* | bestelling* order
delivered | geliefert liefer* zugestellt | livre_e livree livr* | entreg* entregado | consegn* | entreg* entregue | geleverd bezorgd lever*
delivery | lieferung* zustellung | livraison* | entrega | consegna | entrega | levering* bezorging
package | paket* sendung | colis paquet | paquete* envio | pacco pacchi | pacote* embrulho | pakket*
invoice | rechnung* | facture* | factura* | fattura fatture | fatura* | factuur facturen
payment | zahlung* bezahlung | paiement* | pago* | pagamento* pagamenti | pagamento* | betaling*
paid | bezahlt* | paye payee payes payees | pagado pagada pagados pagadas | pagato pagata pagati pagate | pago paga pagos pagas | betaald*
pay | zahlen bezahle bezahlen | payer paie | pagar | pagare paga | pagar | betalen
price | preis* | prix | precio* | prezzo prezzi | preco* | prijs prijzen
cost | kosten kostet | coute cout couts | cuesta coste costo | costa costo | custa custo | kost kosten
buy | kauf* kaufen | achet* | compr* | compr* acquist* | compr* | kopen koop
ticket | ticket* fahrkarte* fahrschein* | billet* ticket* | billete* boleto* entrada* | biglietto biglietti | bilhete* passagem ingresso* | kaartje* ticket*
flight | flug fluge | vol vols | vuelo* | volo voli | voo voos | vlucht*
train | zug zuge bahn | train* | tren* | treno treni | comboio trem comboios | trein*
bus | bus busse | bus autobus | autobus bus | autobus bus | autocarro onibus | bus
car | auto wagen | voiture* | coche* carro auto | macchina auto | carro* | auto
taxi | taxi | taxi | taxi | taxi | taxi | taxi
airport | flughafen | aeroport | aeropuerto | aeroporto | aeroporto | vliegveld luchthaven
station | bahnhof | gare | estacion | stazione | estacao | station
travel | reise reisen | voyage* voyager | viaj* | viagg* | viaj* viag* | reis reizen
restart | neu_starten neustart* neustarten starte_neu | redemarr* relanc* | reinici* reinicia | riavvi* | reinici* reinicie | herstart* opnieuw_op opnieuw_opstarten
start | starte starten start | demarr* | inicia iniciar arranca | avvia avviare | inicia iniciar | start starten
stop | stopp* anhalten halt | arret* | detener para_el | ferma fermare | para_de parar | stop stoppen
switch on | einschalten anschalten schalte_ein | allum* | enciende encender | accendi accendere | liga ligar acende | aanzetten
switch off | ausschalten abschalten schalte_aus | etein* eteign* | apaga apagar | spegni spegnere | desliga desligar apaga | uitzetten
router | router | routeur* | router enrutador | router | roteador router | router
switch | switch | commutateur switch | switch conmutador | switch | switch comutador | switch
device | gerat* | appareil* | dispositivo* aparato | dispositivo dispositivi apparecchio | dispositivo* aparelho* | apparaat apparaten
server | server | serveur* | servidor* | server | servidor* | server
network | netzwerk* netz | reseau* | red redes | rete reti | rede* | netwerk*
light | licht lampe | lumiere lampe | luz luces lampara | luce luci lampada | luz luzes lampada | licht lamp
heating | heizung | chauffage | calefaccion | riscaldamento | aquecimento | verwarming
door | tur | porte | puerta | porta | porta | deur
music | musik | musique | musica | musica | musica | muziek
days of vacation | urlaubstage urlaubstagen ferientage | jours_de_conge jours_de_conges jours_de_vacances | dias_de_vacaciones | giorni_di_ferie | dias_de_ferias | vakantiedagen verlofdagen
vacation | urlaub* ferien | vacances | vacaciones | ferie vacanza vacanze | ferias | vakantie
paid leave | bezahlter_urlaub bezahlten_urlaub | conge_paye conges_payes | vacaciones_pagadas permiso_retribuido | ferie_pagate ferie_retribuite | ferias_pagas ferias_remuneradas | betaald_verlof
leave | freistellung | conge conges | permiso licencia | congedo permesso | licenca | verlof
sick | krank* | malade maladie | enferm* | malat* | doente | ziek
employee | mitarbeiter* angestellte* | employe* salarie* | empleado* empleada* | dipendente dipendenti | funcionario* empregado* | medewerker* werknemer*
salary | gehalt lohn | salaire* | salario sueldo nomina | stipendio | salario | salaris loon
account | konto | compte* | cuenta* | conto account | conta* | rekening account
balance | kontostand saldo | solde | saldo | saldo | saldo | saldo
transfer | uberweis* uberweisung | vir* virement transfer* | transfer* | bonifico trasfer* | transfer* | overmaken overschrijving
bank | bank | banque | banco | banca | banco | bank
card | karte | carte | tarjeta | carta | cartao | kaart pas
password | passwort* kennwort | mot_de_passe | contrasena | password | senha palavra-passe | wachtwoord*
user | benutzer* nutzer | utilisateur* | usuario* | utente utenti | usuario* utilizador* | gebruiker*
customer | kunde kunden kundin | client* cliente* | cliente* | cliente clienti | cliente* | klant*
report | bericht* | rapport* | informe* reporte | rapporto relazione | relatorio* | rapport* verslag
list | liste auflist* | liste* | lista listar | lista elenca elenco | lista listar | lijst
show | zeig* anzeig* | montr* affich* | muestra mostrar ensena | mostra mostrare | mostra mostrar | toon laat_zien
give | gib geben | donne* | da dame dar | dammi dai dare | da dar | geef geven
find | finde* such* | trouv* cherch* | encuentra buscar busca encontrar | trova trovare cerca cercare | encontra encontrar procura procurar | vind zoek*
send | sende* schick* | envoi* envoy* | envia enviar manda | invia inviare manda spedisci | envia enviar manda | stuur sturen verzend*
message | nachricht* | message* | mensaje* | messaggio messaggi | mensagem mensagens | bericht* boodschap
email | e-mail mail | e-mail courriel mail | correo email | e-mail mail | e-mail email | e-mail mail
write | schreib* | ecri* redig* | escrib* | scriv* | escrev* | schrijf* schrijven
call | ruf rufe anruf* telefonier* | appel* | llama llamar | chiama chiamare | liga_para telefona chama | bel bellen
phone | telefon* handy | telephone* | telefono* movil | telefono cellulare | telefone telemovel celular | telefoon
address | adresse* anschrift | adresse* | direccion* | indirizzo indirizzi | endereco morada | adres
city | stadt | ville | ciudad | citta | cidade | stad
country | land lander | pays | pais paises | paese paesi | pais paises | land landen
name | name namen namens | nom nomme | nombre llamado llamada | nome chiamato | nome chamado | naam genaamd
number | nummer zahl | numero nombre | numero | numero | numero | nummer getal
status | stand status | statut etat | estado | stato | estado status | status stand
information | information* auskunft informationen | information* renseignement* | informacion | informazioni informazione | informacao informacoes | informatie
help | hilfe hilf* helfen | aide* aider | ayuda* ayudar | aiuto aiuta aiutare | ajuda* ajudar | hulp help helpen
problem | problem* | probleme* | problema* | problema problemi | problema* | probleem problemen
product | produkt* artikel | produit* article | producto* articulo | prodotto prodotti articolo | produto* artigo | product* artikel
stock | lager bestand | stock | existencias stock | magazzino scorte | estoque stock | voorraad
return | ruckgabe zurucksend* | retour* renvoy* | devol* | resti* reso | devol* | retour* terugsturen
refund | erstattung* | rembours* | reembols* | rimbors* | reembols* | terugbetaling*
book | buch | livre | libro | libro | livro | boek
doctor | arzt arztin | medecin docteur | medico doctor | medico dottore | medico doutor | dokter arts
dentist | zahnarzt | dentiste | dentista | dentista | dentista | tandarts
today | heute | aujourd'hui | hoy | oggi | hoje | vandaag
tomorrow | morgen | demain | manana | domani | amanha | morgen
yesterday | gestern | hier | ayer | ieri | ontem | gisteren
day after tomorrow | ubermorgen | apres-demain | pasado_manana | dopodomani | depois_de_amanha | overmorgen
morning | vormittag* morgens fruh | matin | de_la_manana por_la_manana | mattina mattino | manha | ochtend* 's_ochtends 's_morgens
noon | mittag* | midi | mediodia | mezzogiorno | meio-dia | middag* 's_middags
afternoon | nachmittag* | apres-midi | tarde | pomeriggio | tarde | namiddag
evening | abend* heute_abend | soir soiree ce_soir | tarde_noche | sera serata stasera | noite | avond* 's_avonds vanavond
midnight | mitternacht | minuit | medianoche | mezzanotte | meia-noite | middernacht
o'clock | uhr | heure* h | horas | ore | horas h | uur
day | tag tage tagen | jour* | dia dias | giorno giorni | dia dias | dag dagen
week | woche wochen | semaine* | semana* | settimana settimane | semana* | week weken
weekend | wochenende | week-end | fin_de_semana | fine_settimana | fim_de_semana fim-de-semana | weekend
month | monat* | mois | mes meses | mese mesi | mes meses | maand*
year | jahr jahre jahren | an annee* ans | ano anos | anno anni | ano anos | jaar jaren
minutes | minute* | minute* | minuto* | minuto minuti | minuto* | minuut minuten
hours | stunde* | heures | horas | ore | horas | uren
half | halb halbe* anderthalb | demi demie | media medio | mezza mezzo | meia meio | half
quarter | viertel | quart | cuarto | quarto | quarto | kwart
Monday | montag* | lundi* | lunes | lunedi | segunda-feira segunda | maandag*
Tuesday | dienstag* | mardi* | martes | martedi | terca-feira terca | dinsdag*
Wednesday | mittwoch* | mercredi* | miercoles | mercoledi | quarta-feira | woensdag*
Thursday | donnerstag* | jeudi* | jueves | giovedi | quinta-feira quinta | donderdag*
Friday | freitag* | vendredi* | viernes | venerdi | sexta-feira sexta | vrijdag*
Saturday | samstag* sonnabend* | samedi* | sabado* | sabato | sabado* | zaterdag*
Sunday | sonntag* | dimanche* | domingo* | domenica | domingo* | zondag*
January | januar janner | janvier | enero | gennaio | janeiro | januari
February | februar | fevrier | febrero | febbraio | fevereiro | februari
March | marz | mars | marzo | marzo | marco | maart
April | april | avril | abril | aprile | abril | april
May | mai | mai | mayo | maggio | maio | mei
June | juni | juin | junio | giugno | junho | juni
July | juli | juillet | julio | luglio | julho | juli
August | august | aout | agosto | agosto | agosto | augustus
September | september | septembre | septiembre setiembre | settembre | setembro | september
October | oktober | octobre | octubre | ottobre | outubro | oktober
November | november | novembre | noviembre | novembre | novembro | november
December | dezember | decembre | diciembre | dicembre | dezembro | december
one | eins | | uno | | | een
two | zwei | deux | dos | due | dois duas | twee
three | drei | trois | tres | tre | tres | drie
four | vier | quatre | cuatro | quattro | quatro | vier
five | funf | cinq | cinco | cinque | cinco | vijf
six | sechs | six | seis | sei | seis | zes
seven | sieben | sept | siete | sette | sete | zeven
eight | acht | huit | ocho | otto | oito | acht
nine | neun | neuf | nueve | nove | nove | negen
ten | zehn | dix | diez | dieci | dez | tien
eleven | elf | onze | once | undici | onze | elf
twelve | zwolf | douze | doce | dodici | doze | twaalf
fifteen | funfzehn | quinze | quince | quindici | quinze | vijftien
twenty | zwanzig | vingt | veinte | venti | vinte | twintig
thirty | dreissig | trente | treinta | trenta | trinta | dertig
hundred | hundert | cent cents | cien ciento | cento | cem cento | honderd
two hundred | zweihundert | deux_cents | doscientos | duecento | duzentos | tweehonderd
thousand | tausend | mille | mil | mille mila | mil | duizend
tell | erzahl* sag sagen | racont* dis dites | cuenta cuent* di dime | racconta* dimmi | conta-me conta conte diz | vertel* zeg
joke | witz witze | blague* | chiste* | barzelletta* | piada* | grap grappen mop
story | geschichte* | histoire* | cuento* historia* | storia storie | historia* conto | verhaal verhalen
short | kurz* | court* | corto corta breve | breve corto | curto curta pequeno pequena | kort*
good | gut* | bon bonne bons | buen bueno buena | buon buono buona | bom boa | goed*
bad | schlecht* | mauvais* | malo mala | cattivo brutto | mau ma | slecht*
work | funktionier* arbeit* | fonctionn* march* travail* | funciona* trabaj* | funziona* lavor* | funciona* trabalh* | werkt werken
invented | erfunden | invent* | invent* | invent* | invent* | uitgevonden
use | nutz* verwend* benutz* | utilis* | usa usan utiliz* | usa usano utilizz* | usa usam utiliz* | gebruik*
translate | ubersetz* | tradui* | traduce traducir | traduci tradurre | traduz traduzir | vertaal* vertalen
explain | erklar* | expliqu* | explica* | spiega* | explica* | leg_uit uitleggen
mean | bedeut* heisst | signifi* | signific* | signific* | signific* | betekent
French | franzosisch* | francais* | frances | francese | frances | frans
German | deutsch* | allemand* | aleman | tedesco | alemao | duits
English | englisch* | anglais* | ingles | inglese | ingles | engels
cats | katze* katzen | chat chats | gato gatos | gatto gatti | gato gatos | kat katten
agenda | tagesordnung* | ordre_du_jour | orden_del_dia | ordine_del_giorno | ordem_de_trabalhos ordem_do_dia | agenda
left | ubrig | restant* | restante* | rimasto rimasti | restante* | over
total | gesamt* insgesamt | total* | total | totale | total | totaal
open | offne* offen | ouvr* ouvert | abre abrir abierto | apri aprire aperto | abre abrir aberto | open* openen
close | schliess* | ferm* | cierra cerrar | chiudi chiudere | fecha fechar | sluit* dicht
forget it | vergiss_es egal schon_gut | laisse_tomber oublie oubliez | olvidalo dejalo | lascia_perdere lascia_stare | esquece esqueca deixa_pra_la | laat_maar vergeet_het
`;
