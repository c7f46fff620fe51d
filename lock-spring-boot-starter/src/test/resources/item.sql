create table item (id bigint primary key, stock int not null);
