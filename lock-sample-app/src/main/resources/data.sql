-- Rows that exist are kept, because several instances may start at once.
insert into stock (item, quantity, fence) values ('lamps', 40, 0), ('chairs', 25, 0) on conflict do nothing;
insert into price_list (item, price) values ('lamps', 19.90), ('chairs', 49.00) on conflict do nothing;
